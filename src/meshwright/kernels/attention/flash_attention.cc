// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/flash_attention.h"

#include <string>
#include <utility>
#include <vector>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/attention/attention_blocks.h"
#include "meshwright/kernels/attention/attention_formula.h"
#include "meshwright/kernels/attention/attention_operands.h"
#include "meshwright/kernels/attention/cudnn_attention.h"

namespace meshwright::kernels {

using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;

namespace {

constexpr int kForwardExtras = 3;  // the first optional operands
constexpr int kGradientExtras = 6;

Type log_sums_of(const Type& q) {
  return Type(f32, dims_of_log_sums(q.dims));
}

std::vector<Type> infer_forward(const Node& node) {
  check_attention(node, kForwardExtras, true);
  return {node.in(0), log_sums_of(node.in(0))};
}

std::vector<Type> infer_gradient(const Node& node) {
  check_attention(node, kGradientExtras, true);
  for (const int like_q : {3, 4})
    if (node.in(like_q).array() != node.in(0).array())
      graph::reject(node, "the result of ", node.in(0), " cannot be ", node.in(like_q));
  if (node.in(5).array() != log_sums_of(node.in(0)).array())
    graph::reject(node, "the sums of ", node.in(0), " cannot be ", node.in(5));
  std::vector<Type> types = {node.in(0), node.in(1), node.in(2)};
  if (has_bias(node, kGradientExtras)) types.push_back(node.in(node.num_operands() - 1));
  return types;
}

std::vector<Value> forward_in_blocks(const Node& node, std::span<const Value> in) {
  const auto [out, log_sums] =
      attention_in_blocks(in[0], in[1], in[2], options_of(node, in, kForwardExtras));
  return {out, log_sums};
}

std::vector<Value> gradient_in_blocks(const Node& node, std::span<const Value> in) {
  return attention_gradient_in_blocks(in[0], in[1], in[2], options_of(node, in, kGradientExtras),
                                      BlockedAttention{in[4], in[5]}, in[3])
      .all();
}

void flash_vjp(VjpContext& c) {
  if (c.has_cotangent(1)) return graph::reference_gradient(c);  // only in second derivatives
  std::vector<Value> operands = {c.operand(0),   c.operand(1), c.operand(2),
                                 c.cotangent(0), c.result(0),  c.result(1)};
  const int num_operands = c.node().num_operands();
  for (int i = kForwardExtras; i < num_operands; ++i)
    operands.push_back(c.operand(i));
  std::vector<Value> gradients = graph::emit_all(kFlashAttentionGradient, std::move(operands),
                                                 c.attr<AttentionAttrs>(), {}, {});
  for (int i = 0; i < 3; ++i)
    c.add(i, gradients[static_cast<std::size_t>(i)]);
  if (gradients.size() > 3) c.add(num_operands - 1, gradients[3]);
}

std::string obstacle_of_flash(const Node& op, const graph::KernelTarget& /*target*/) {
  return op.attr<AttentionAttrs>().keep_probability < 1 ? "dropout" : obstacle_of_attention(op);
}

}  // namespace

Value flash_attention(Value q, Value k, Value v, const AttentionOptions& given, SourceLoc loc) {
  AttentionOptions options = given;
  const AttentionAttrs attrs = attrs_of(options);
  if (!graph::becomes_kernel(kFlashAttention, attention_operands(q, k, v, options), attrs))
    return attention_formula(q, k, v, options);
  for (Value* bias : {&options.bias, &options.distance_bias})
    if (!bias->is_null()) *bias = graph::cast(*bias, f32);
  return graph::emit_all(kFlashAttention, attention_operands(q, k, v, options), attrs, {}, loc)[0];
}

const OpDef kFlashAttention{.name = "flash_attention",
                            .infer = infer_forward,
                            .vjp = flash_vjp,
                            .product = [](const Node&) { return graph::Product::batched; },
                            .reference = forward_in_blocks,
                            .obstacle = obstacle_of_flash,
                            .axes =
                                [](const Node& node) {
                                  return axes_of_attention(node, {kQueryAxes, kKeyAxes, kKeyAxes},
                                                           {kQueryAxes, kLogSumAxes});
                                },
                            .cuda = attention_by_cudnn,
                            .cuda_obstacle =
                                [](const Node& op, const graph::KernelTarget& target) {
                                  return obstacle_of_cudnn(op, kForwardExtras, target);
                                }};

const OpDef kFlashAttentionGradient{
    .name = "flash_attention_gradient",
    .infer = infer_gradient,
    .vjp = graph::kReferenceGradient,
    .reference = gradient_in_blocks,
    .axes =
        [](const Node& node) {
          return axes_of_attention(
              node, {kQueryAxes, kKeyAxes, kKeyAxes, kQueryAxes, kQueryAxes, kLogSumAxes},
              gradient_axes(node, kGradientExtras));
        },
    .cuda = attention_gradient_by_cudnn,
    .cuda_obstacle =
        [](const Node& op, const graph::KernelTarget& target) {
          return obstacle_of_cudnn(op, kGradientExtras, target);
        }};

}  // namespace meshwright::kernels
