// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "models/layers.h"
#include "models/zoo.h"

namespace meshwright::test_models {
namespace {

Value dense(Value x, Value weight, Value bias) {
  graph::AxisScope scope;
  Value product = graph::einsum("batch in, in out -> batch out", x, cast(weight, x.dtype()));
  return product + cast(bias, x.dtype());
}

Value loss(DType compute, const Params& p, Value input, Value wanted) {
  Value x = gelu(dense(cast(input, compute), p["w1"], p["b1"]));
  x = gelu(dense(x, p["w2"], p["b2"]));
  x = dense(x, p["w3"], p["b3"]);
  return mean_of_all(square(cast(x, f32) - wanted));
}

}  // namespace

Model mlp(DType compute) {
  Model model{.name = "mlp"};
  model.params = {
      {"w1", {16, 32}, 0.4, 0, {{{}, {"tensor"}}}},
      {"b1", {32}, 0.1, 0, {{{"tensor"}}}},
      {"w2", {32, 32}, 0.3, 0, {{{"tensor"}, {}}}},
      {"b2", {32}},
      {"w3", {32, 8}, 0.3},
      {"b3", {8}},
  };
  model.inputs = {{"input", {8, 16}, 0, {{{"data"}}}}, {"wanted", {8, 8}, 0, {{{"data"}}}}};
  model.loss = [=](const Params& p, std::span<const Value> in) {
    return loss(compute, p, in[0], in[1]);
  };
  return model;
}

}  // namespace meshwright::test_models
