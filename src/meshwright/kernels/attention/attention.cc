// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention.h"

#include <algorithm>
#include <iterator>
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
#include "meshwright/kernels/attention/attention_formula.h"
#include "meshwright/kernels/attention/attention_handlers.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::KernelTarget;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

// For fewer queries, as in decoding, packing the keys would cost more than the products.
constexpr std::int64_t kFewestQueries = 8;

void check_mask(const Node& node, int at) {
  const Type &q = node.in(0), &mask = node.in(at);
  Dims seen = {q.dims[1], node.in(1).dims[1]};
  if (mask.dims.size() == 3) seen.insert(seen.begin(), q.dims[0]);
  if (mask.dims != seen)
    graph::reject(node, "the mask must be ", ArrayType{pred, seen}, ", got ", mask);
}

void check_bias(const Node& node, int at) {
  const Type &q = node.in(0), &bias = node.in(at);
  const ArrayType wanted{f32, {q.dims[2], q.dims[3], q.dims[1], node.in(1).dims[1]}};
  if (bias.dtype != wanted.dtype || bias.dims != wanted.dims)
    graph::reject(node, "a mask must be pred and a bias ", wanted, ", got ", bias);
}

// The segments of the queries come first, then those of the keys.
void check_segments(const Node& node, int at) {
  const bool of_keys = node.in(at - 1).dtype == s32;
  const bool of_both = !of_keys && (at + 1 == node.num_operands() || node.in(at + 1).dtype != s32);
  const Type &q = node.in(0), &k = node.in(1), &segments = node.in(at);
  const ArrayType wanted{s32, {q.dims[0], of_keys ? k.dims[1] : q.dims[1]}};
  if (segments.dims != wanted.dims)
    graph::reject(node, "the segments must be ", wanted, ", got ", segments);
  if (of_both && q.dims[1] != k.dims[1])
    graph::reject(node, q.dims[1], " queries and ", k.dims[1], " keys need segments each");
}

void check_extra(const Node& node, int at) {
  const Type& extra = node.in(at);
  if (extra.dtype == pred) return check_mask(node, at);
  if (extra.dtype == s32) return check_segments(node, at);
  if (extra.dtype != u32) return check_bias(node, at);
  if (extra.rank() != 0) graph::reject(node, "key words must be u32 scalars, got ", extra);
}

// Operands from `first_extra` on: optionally a mask (pred), segments (s32), words of a key (u32)
// and a bias.
void check_operands(const Node& node, int first_extra) {
  const Type &q = node.in(0), &k = node.in(1), &v = node.in(2);
  if (q.dims.size() != 5 || k.dims.size() != 4)
    graph::reject(node, "takes q [batch, len, kv, q, dim] and k [batch, src, kv, dim], got ", q,
                  " and ", k);
  if (q.dtype != f32 && q.dtype != bf16) graph::reject(node, "takes f32 or bf16, got ", q);
  const Dims wanted = {q.dims[0], k.dims[1], q.dims[2], q.dims[4]};
  if (k.dims != wanted || v.dims != wanted || k.dtype != q.dtype || v.dtype != q.dtype)
    graph::reject(node, "k and v must be ", ArrayType{q.dtype, wanted}, ", got ", k, " and ", v);
  int num_words = 0, num_segments = 0;
  for (int i = first_extra; i < node.num_operands(); ++i) {
    check_extra(node, i);
    if (node.in(i).dtype == u32) ++num_words;
    if (node.in(i).dtype == s32) ++num_segments;
  }
  if (num_segments > 2) graph::reject(node, "expected segments of queries and of keys only");
  if (num_words != 0 && num_words != 2)
    graph::reject(node, "expected two key words, got ", num_words);
}

void write_call(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<AttentionAttrs>();
  graph::write_custom_call(
      writer, node,
      {.target = node.op->handler->name,
       .attributes = {{"p", attrs.keep_probability}, {"causal", attrs.causal}}});
}

constexpr const char* kQueryAxes = "batch len kv q dim";
constexpr const char* kKeyAxes = "batch src kv dim";
constexpr const char* kBiasAxes = "kv q len src";

std::string extra_axes(const Node& node, int at) {
  const Type& type = node.in(at);
  if (type.dtype == u32) return "";
  if (type.dtype == s32) return node.in(at - 1).dtype == s32 ? "batch src" : "batch len";
  if (type.dtype != pred) return kBiasAxes;
  return type.dims.size() == 3 ? "batch len src" : "len src";
}

KernelAxes axes_of(const Node& node, std::vector<std::string> operands, bool is_gradient) {
  KernelAxes axes{.operands = std::move(operands),
                  .results = {kQueryAxes},
                  .whole = {"len", "src", "q", "dim"}};
  if (is_gradient) axes.results = {kQueryAxes, kKeyAxes, kKeyAxes};
  for (int i = static_cast<int>(axes.operands.size()); i < node.num_operands(); ++i) {
    axes.operands.push_back(extra_axes(node, i));
    // The draws of a shard depend on its position in the whole array.
    if (node.in(i).dtype == u32) axes.on_one_device = true;
  }
  if (is_gradient && axes.operands.back() == kBiasAxes) {
    axes.results.emplace_back(kBiasAxes);
    axes.summed = {"batch"};
  }
  return axes;
}

// Broadcasts the mask, since the kernel reads it in full.
Value whole_mask(Value mask, Value q, Value k) {
  const Dims full = {q.dim(0), q.dim(1), k.dim(1)};
  Dims dims = mask.dims();
  for (std::size_t i = 0; i < dims.size() && dims.size() <= full.size(); ++i)
    if (dims[i] == 1) dims[i] = full[full.size() - dims.size() + i];
  return dims == mask.dims() ? mask : graph::broadcast_to(mask, dims);
}

// Called with candidates, whose masks and biases may have shapes and dtypes invalid in nodes.
std::string obstacle(const Node& op, const KernelTarget& /*target*/) {
  const Type &q = op.in(0), &k = op.in(1);
  if (q.dtype != f32 && q.dtype != bf16) return str("dtype ", q.dtype);
  if (q.dims.at(1) < kFewestQueries) return str("fewer than ", kFewestQueries, " queries");
  std::vector<Value> words;
  for (Value extra : std::span(op.operands).subspan(3)) {
    if (extra.dtype() == u32) {
      words.push_back(extra);
    } else if (extra.dtype() != pred && extra.dtype() != s32 &&
               extra.dims() != Dims{q.dims[2], q.dims[3], q.dims[1], k.dims.at(1)}) {
      return "the bias is not [kv, q, len, src]";
    }
  }
  return words.empty() ? "" : obstacle_of_key(words);
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

}  // namespace

Value attention(Value q, Value k, Value v, const AttentionOptions& options, SourceLoc loc) {
  const std::optional<Drawing>& drawing = options.dropout;
  MW_CHECK(!drawing || (drawing->keep_probability > 0 && drawing->keep_probability <= 1),
           "attention: keep_probability must be above 0 and at most 1, got ",
           drawing->keep_probability, graph::origin(loc));
  MW_CHECK(options.key_segments.is_null() || !options.segments.is_null(),
           "attention: segments of keys need segments of queries", graph::origin(loc));
  const AttentionAttrs attrs{drawing ? drawing->keep_probability : 1, options.causal};
  std::vector<Value> operands = {q, k, v};
  if (!options.mask.is_null()) operands.push_back(options.mask);
  for (Value segments : {options.segments, options.key_segments})
    if (!segments.is_null()) operands.push_back(segments);
  if (drawing) std::ranges::copy(drawing->key.words(), std::back_inserter(operands));
  if (!options.bias.is_null()) operands.push_back(options.bias);
  if (!graph::becomes_kernel(kAttention, operands, attrs))
    return attention_formula(q, k, v, options);
  if (!options.mask.is_null()) operands[3] = whole_mask(options.mask, q, k);
  if (!options.bias.is_null()) operands.back() = graph::cast(options.bias, f32);
  return graph::emit_all(kAttention, std::move(operands), attrs, {}, loc)[0];
}

const OpDef kAttention{
    .name = "attention",
    .infer =
        [](const Node& node) {
          check_operands(node, 3);
          return std::vector{node.in(0)};
        },
    .write = write_call,
    .vjp = attention_vjp,
    .handler = &kAttentionHandler,
    .reference =
        [](const Node& node, std::span<const Value> in) {
          graph::AxisScope own_axes;
          return std::vector{attention_formula(in[0], in[1], in[2], options_of(node, in, 3))};
        },
    .obstacle = obstacle,
    .axes =
        [](const Node& node) {
          return axes_of(node, {kQueryAxes, kKeyAxes, kKeyAxes}, false);
        }};

const OpDef kAttentionGradient{
    .name = "attention_gradient",
    .infer =
        [](const Node& node) {
          check_operands(node, 4);
          if (node.in(3).dims != node.in(0).dims || node.in(3).dtype != node.in(0).dtype)
            graph::reject(node, "the gradient of ", node.in(0), " cannot be ", node.in(3));
          std::vector<Type> types = {node.in(0), node.in(1), node.in(2)};
          const Type& last = node.in(node.num_operands() - 1);
          if (node.num_operands() > 4 && last.dtype == f32) types.push_back(last);
          return types;
        },
    .write = write_call,
    .vjp = graph::kReferenceGradient,
    .handler = &kAttentionGradientHandler,
    .reference = attention_gradient_formula,
    .axes =
        [](const Node& node) {
          return axes_of(node, {kQueryAxes, kKeyAxes, kKeyAxes, kQueryAxes}, true);
        }};

}  // namespace meshwright::kernels
