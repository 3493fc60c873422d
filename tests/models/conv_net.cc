// SPDX-License-Identifier: Apache-2.0
// Images are batch, height, width, features; kernels height, width, input, output features.
#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/window.h"
#include "models/layers.h"
#include "models/zoo.h"

namespace meshwright::test_models {
namespace {

using graph::ConvOptions;
using graph::Padding;
using graph::PaddingRule;

Value loss(DType compute, const Params& p, Value image, Value label) {
  auto weight = [&](std::string_view name) { return cast(p[name], compute); };
  ConvOptions strided{.stride = {2, 2}, .padding = PaddingRule::same};
  Value x = relu(convolution(cast(image, compute), weight("kernel1"), strided));
  ConvOptions grouped{
      .padding = Padding{{2, 2}, {2, 2}, {}}, .rhs_dilation = {2, 2}, .feature_groups = 2};
  x = relu(convolution(x, weight("kernel2"), grouped));
  x = mean(window_max(x, {1, 2, 2, 1}, {.stride = {1, 2, 2, 1}}), {1, 2});
  Value logits = graph::einsum("batch features, features class -> batch class", x, weight("w"));
  return cross_entropy(cast(logits, f32), label);
}

}  // namespace

Model conv_net(DType compute) {
  Model model{.name = "conv_net"};
  model.params = {
      {"kernel1", {3, 3, 3, 8}, 0.3, 0, {{{}, {}, {}, {"tensor"}}}},
      {"kernel2", {3, 3, 4, 16}, 0.3},
      {"w", {16, 10}, 0.3, 0, {{{"tensor"}}}},
  };
  model.inputs = {{"image", {8, 12, 12, 3}, 0, {{{"data"}}}}, {"label", {8}, 10, {{{"data"}}}}};
  model.loss = [=](const Params& p, std::span<const Value> in) {
    return loss(compute, p, in[0], in[1]);
  };
  return model;
}

}  // namespace meshwright::test_models
