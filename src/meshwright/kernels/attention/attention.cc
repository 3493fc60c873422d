// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention.h"

#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/attention/attention_blocks.h"
#include "meshwright/kernels/attention/attention_formula.h"
#include "meshwright/kernels/attention/attention_handlers.h"
#include "meshwright/kernels/attention/attention_operands.h"
#include "meshwright/kernels/attention/distance_bias.h"
#include "meshwright/kernels/attention/flash_attention.h"

namespace meshwright::kernels {

using graph::KernelTarget;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

void write_call(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<AttentionAttrs>();
  graph::write_custom_call(
      writer, node,
      {.target = node.op->handler->name,
       .attributes = {
           {"p", attrs.keep_probability}, {"causal", attrs.causal}, {"window", attrs.window}}});
}

// Broadcasts the mask, since the kernel reads it in full.
Value whole_mask(Value mask, Value q, Value k) {
  const Dims full = {q.dim(0), q.dim(1), k.dim(1)};
  Dims dims = mask.dims();
  for (std::size_t i = 0; i < dims.size() && dims.size() <= full.size(); ++i)
    if (dims[i] == 1) dims[i] = full[full.size() - dims.size() + i];
  return dims == mask.dims() ? mask : graph::broadcast_to(mask, dims);
}

std::string obstacle(const Node& op, const KernelTarget& /*target*/) {
  std::string found = obstacle_of_attention(op);
  std::vector<Value> words;
  for (Value extra : std::span(op.operands).subspan(3))
    if (extra.dtype() == u32) words.push_back(extra);
  return !found.empty() || words.empty() ? found : obstacle_of_key(words);
}

void attention_vjp(VjpContext& c) {
  std::vector<Value> operands = {c.operand(0), c.operand(1), c.operand(2), c.cotangent()};
  const int num_extras = c.node().num_operands() - 3;
  for (int i = 0; i < num_extras; ++i)
    operands.push_back(c.operand(3 + i));
  std::vector<Value> gradients =
      graph::emit_all(kAttentionGradient, std::move(operands), c.attr<AttentionAttrs>(), {}, {});
  for (int i = 0; i < 3; ++i)
    c.add(i, gradients[static_cast<std::size_t>(i)]);
  if (gradients.size() > 3) c.add(2 + num_extras, gradients[3]);
}

// Draws depend on an element's position among all scores.
std::vector<Value> forward_reference(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const AttentionOptions options = options_of(node, in, 3);
  if (options.dropout) return {attention_formula(in[0], in[1], in[2], options)};
  return {attention_in_blocks(in[0], in[1], in[2], options).out};
}

std::vector<Value> gradient_reference(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const AttentionOptions options = options_of(node, in, 4);
  const AttentionGradients found =
      options.dropout ? attention_gradient_formula(in[0], in[1], in[2], options, in[3])
                      : attention_gradient_in_blocks(in[0], in[1], in[2], options, {}, in[3]);
  return found.all();
}

// The kernel has neither lengths of prefixes nor biases by distance.
AttentionOptions with_arrays(Value q, Value k, AttentionOptions options) {
  if (Value given = std::exchange(options.distance_bias, {}); !given.is_null())
    options.bias = bias_of_distances(given, q.dim(1), k.dim(1));
  if (options.prefix.is_null()) return options;
  options.mask =
      mask_of(q.dim(1), k.dim(1),
              {.mask = options.mask, .causal = options.causal, .prefix = options.prefix});
  options.prefix = {};
  options.causal = false;
  return options;
}

Value by_kernel(Value q, Value k, Value v, const AttentionOptions& given, SourceLoc loc) {
  AttentionOptions options = with_arrays(q, k, given);
  const AttentionAttrs attrs = attrs_of(options);
  if (!graph::becomes_kernel(kAttention, attention_operands(q, k, v, options), attrs))
    return attention_formula(q, k, v, options);
  if (!options.mask.is_null()) options.mask = whole_mask(options.mask, q, k);
  if (!options.bias.is_null()) options.bias = graph::cast(options.bias, f32);
  return graph::emit_all(kAttention, attention_operands(q, k, v, options), attrs, {}, loc)[0];
}

}  // namespace

bool is_attention(const Node& node) {
  return node.op == &kAttention || node.op == &kFlashAttention;
}

Value attention(Value q, Value k, Value v, const AttentionOptions& options, SourceLoc loc) {
  const std::optional<Drawing>& drawing = options.dropout;
  MW_CHECK(!drawing || (drawing->keep_probability > 0 && drawing->keep_probability <= 1),
           "attention: keep_probability must be above 0 and at most 1, got ",
           drawing->keep_probability, graph::origin(loc));
  MW_CHECK(options.key_segments.is_null() || !options.segments.is_null(),
           "attention: segments of keys need segments of queries", graph::origin(loc));
  MW_CHECK(options.prefix.is_null() || options.causal, "attention: a prefix needs causal",
           graph::origin(loc));
  MW_CHECK(options.window >= 0 && (options.window == 0 || options.causal),
           "attention: a window must be positive and needs causal, got ", options.window,
           graph::origin(loc));
  MW_CHECK(options.window == 0 || options.prefix.is_null(),
           "attention: either a window or a prefix", graph::origin(loc));
  MW_CHECK(options.bias.is_null() || options.distance_bias.is_null(),
           "attention: either a bias or a bias by distance", graph::origin(loc));
  const bool on_cpu = graph::obstacle_of_cpu_kernels(graph::Tracer::current().target()).empty();
  return on_cpu ? by_kernel(q, k, v, options, loc) : flash_attention(q, k, v, options, loc);
}

const OpDef kAttention{
    .name = "attention",
    .infer =
        [](const Node& node) {
          check_attention(node, 3);
          return std::vector{node.in(0)};
        },
    .write = write_call,
    .vjp = attention_vjp,
    .product = [](const Node&) { return graph::Product::batched; },
    .handler = &kAttentionHandler,
    .reference = forward_reference,
    .obstacle = obstacle,
    .axes =
        [](const Node& node) {
          return axes_of_attention(node, {kQueryAxes, kKeyAxes, kKeyAxes}, {kQueryAxes});
        }};

const OpDef kAttentionGradient{
    .name = "attention_gradient",
    .infer =
        [](const Node& node) {
          check_attention(node, 4);
          if (node.in(3).dims != node.in(0).dims || node.in(3).dtype != node.in(0).dtype)
            graph::reject(node, "the gradient of ", node.in(0), " cannot be ", node.in(3));
          std::vector<Type> types = {node.in(0), node.in(1), node.in(2)};
          if (has_bias(node, 4)) types.push_back(node.in(node.num_operands() - 1));
          return types;
        },
    .write = write_call,
    .vjp = graph::kReferenceGradient,
    .handler = &kAttentionGradientHandler,
    .reference = gradient_reference,
    .axes =
        [](const Node& node) {
          return axes_of_attention(node, {kQueryAxes, kKeyAxes, kKeyAxes, kQueryAxes},
                                   gradient_axes(node, 4));
        }};

}  // namespace meshwright::kernels
