// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len, src (keys), embed, heads, dim.
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/shape.h"
#include "models/layers.h"
#include "models/zoo.h"

namespace meshwright::test_models {
namespace {

using graph::einsum;

Value attend(const Params& p, Value x) {
  auto weight = [&](std::string_view name) { return cast(p[name], x.dtype()); };
  Value q = einsum("batch len embed, embed heads dim -> batch heads len dim", x, weight("w_q"));
  Value k = einsum("batch src embed, embed heads dim -> batch heads src dim", x, weight("w_k"));
  Value v = einsum("batch src embed, embed heads dim -> batch heads src dim", x, weight("w_v"));
  Value logits = einsum("batch heads len dim, batch heads src dim -> batch heads len src",
                        q * rsqrt(graph::constant(q.dim(-1), q.dtype())), k);
  Dims square = {x.dim(1), x.dim(1)};
  Value mask = graph::iota(s32, square, 0) >= graph::iota(s32, square, 1);
  Value probs = cast(softmax(graph::where(mask, cast(logits, f32), -1e10), -1), x.dtype());
  Value mixed = einsum("batch heads len src, batch heads src dim -> batch len heads dim", probs, v);
  return einsum("batch len heads dim, heads dim embed -> batch len embed", mixed, weight("w_o"));
}

Value loss(DType compute, const Params& p, Value input, Value wanted) {
  Value x = cast(input, compute);
  return mean_of_all(square(cast(x + attend(p, x), f32) - wanted));
}

}  // namespace

Model attention(DType compute) {
  Model model{.name = "attention"};
  model.params = {
      {"w_q", {16, 4, 8}, 0.4, 0, {{{}, {"tensor"}}}},
      {"w_k", {16, 4, 8}, 0.4, 0, {{{}, {"tensor"}}}},
      {"w_v", {16, 4, 8}, 0.4, 0, {{{}, {"tensor"}}}},
      {"w_o", {4, 8, 16}, 0.3, 0, {{{"tensor"}}}},
  };
  model.inputs = {{"input", {8, 12, 16}, 0, {{{"data"}}}},
                  {"wanted", {8, 12, 16}, 0, {{{"data"}}}}};
  model.loss = [=](const Params& p, std::span<const Value> in) {
    return loss(compute, p, in[0], in[1]);
  };
  return model;
}

}  // namespace meshwright::test_models
