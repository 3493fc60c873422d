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
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/attention/attention_handlers.h"
#include "meshwright/kernels/simd/softmax.h"

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

// Returns a mask [len, src] or [batch, len, src] that broadcasts to batch kv q len src.
Value for_heads(Value mask) {
  MW_CHECK(mask.rank() == 2 || mask.rank() == 3,
           "attention: the mask must be [len, src] or [batch, len, src]", ", got ", mask,
           graph::origin(SourceLoc()));
  return mask.rank() == 2 ? mask : expand_dims(mask, {1, 2});
}

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

void check_extra(const Node& node, int at) {
  const Type& extra = node.in(at);
  if (extra.dtype == pred) return check_mask(node, at);
  if (extra.dtype != u32) return check_bias(node, at);
  if (extra.rank() != 0) graph::reject(node, "key words must be u32 scalars, got ", extra);
}

// Operands from `first_extra` on: optionally a mask (pred), words of a key (u32) and a bias.
void check_operands(const Node& node, int first_extra) {
  const Type &q = node.in(0), &k = node.in(1), &v = node.in(2);
  if (q.dims.size() != 5 || k.dims.size() != 4)
    graph::reject(node, "takes q [batch, len, kv, q, dim] and k [batch, src, kv, dim], got ", q,
                  " and ", k);
  if (q.dtype != f32 && q.dtype != bf16) graph::reject(node, "takes f32 or bf16, got ", q);
  const Dims wanted = {q.dims[0], k.dims[1], q.dims[2], q.dims[4]};
  if (k.dims != wanted || v.dims != wanted || k.dtype != q.dtype || v.dtype != q.dtype)
    graph::reject(node, "k and v must be ", ArrayType{q.dtype, wanted}, ", got ", k, " and ", v);
  int num_words = 0;
  for (int i = first_extra; i < node.num_operands(); ++i) {
    check_extra(node, i);
    if (node.in(i).dtype == u32) ++num_words;
  }
  if (num_words != 0 && num_words != 2)
    graph::reject(node, "expected two key words, got ", num_words);
}

void write_call(Writer& writer, const Node& node) {
  graph::write_custom_call(writer, node,
                           {.target = node.op->handler->name,
                            .attributes = {{"p", node.attr<DropoutAttrs>().keep_probability}}});
}

constexpr const char* kQueryAxes = "batch len kv q dim";
constexpr const char* kKeyAxes = "batch src kv dim";
constexpr const char* kBiasAxes = "kv q len src";

std::string extra_axes(const Type& type) {
  if (type.dtype == u32) return "";
  if (type.dtype != pred) return kBiasAxes;
  return type.dims.size() == 3 ? "batch len src" : "len src";
}

KernelAxes axes_of(const Node& node, std::vector<std::string> operands, bool is_gradient) {
  KernelAxes axes{.operands = std::move(operands),
                  .results = {kQueryAxes},
                  .whole = {"len", "src", "q", "dim"}};
  if (is_gradient) axes.results = {kQueryAxes, kKeyAxes, kKeyAxes};
  for (int i = static_cast<int>(axes.operands.size()); i < node.num_operands(); ++i) {
    axes.operands.push_back(extra_axes(node.in(i)));
    // The draws of a shard depend on its position in the whole array.
    if (node.in(i).dtype == u32) axes.on_one_device = true;
  }
  if (is_gradient && axes.operands.back() == kBiasAxes) {
    axes.results.emplace_back(kBiasAxes);
    axes.summed = {"batch"};
  }
  return axes;
}

AttentionOptions options_of(const Node& node, std::span<const Value> operands, std::size_t first) {
  AttentionOptions out;
  std::vector<Value> words;
  for (Value value : operands.subspan(first)) {
    if (value.dtype() == u32)
      words.push_back(value);
    else
      (value.dtype() == pred ? out.mask : out.bias) = value;
  }
  if (!words.empty())
    out.dropout = Drawing{graph::random::Key(graph::random::KeyKind::threefry, std::move(words)),
                          node.attr<DropoutAttrs>().keep_probability};
  return out;
}

Value dropped(Value probabilities, const AttentionOptions& options) {
  return options.dropout ? dropout(probabilities, *options.dropout) : probabilities;
}

// Broadcasts the mask, since the kernel reads it in full.
Value whole_mask(Value mask, Value q, Value k) {
  const Dims full = {q.dim(0), q.dim(1), k.dim(1)};
  Dims dims = mask.dims();
  for (std::size_t i = 0; i < dims.size() && dims.size() <= full.size(); ++i)
    if (dims[i] == 1) dims[i] = full[full.size() - dims.size() + i];
  return dims == mask.dims() ? mask : graph::broadcast_to(mask, dims);
}

Value formula(Value q, Value k, Value v, const AttentionOptions& options) {
  Value probs = attention_probabilities(q, k, options.mask, options.bias);
  return weighted_values(dropped(probs, options), v);
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
    } else if (extra.dtype() != pred &&
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
      graph::emit_all(kAttentionGradient, std::move(operands), c.attr<DropoutAttrs>(), {}, {});
  for (int i = 0; i < 3; ++i)
    c.add(i, gradients[static_cast<std::size_t>(i)]);
  if (gradients.size() > 3) c.add(2 + num_extras, gradients[3]);
}

// Written by hand, since a reference has plain ops only; recomputes the probabilities.
std::vector<Value> gradient_formula(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  Value q = in[0], k = in[1], v = in[2], gradient = in[3];
  const AttentionOptions options = options_of(node, in, 4);
  auto [mask, bias] = std::pair(options.mask, options.bias);
  Value probs = attention_probabilities(q, k, mask, bias);
  graph::DotOptions in_f32{.out = f32};
  Value d_probs = graph::einsum("batch len kv q dim, batch src kv dim -> batch kv q len src",
                                gradient, v, in_f32);
  d_probs = dropped(d_probs, options);
  Value wide = graph::cast(probs, f32);
  Value mean = graph::reduce_sum(wide * d_probs, {4}, {.keep_dims = true});
  Value d_logits = wide * (d_probs - mean);
  if (!mask.is_null())
    d_logits = graph::where(graph::broadcast_to(for_heads(mask), d_logits.dims()), d_logits, 0.0);
  Value d_bias = bias.is_null() ? Value() : graph::reduce_sum(d_logits, {0});
  d_logits = graph::cast(d_logits, q.dtype());
  std::vector<Value> gradients = {
      graph::einsum("batch kv q len src, batch src kv dim -> batch len kv q dim", d_logits, k),
      graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim", d_logits, q),
      graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim",
                    dropped(probs, options), gradient)};
  if (!bias.is_null()) gradients.push_back(d_bias);
  return gradients;
}

}  // namespace

Value attention_probabilities(Value q, Value k, Value mask, Value bias) {
  DType sums = q.dtype() == f64 ? f64 : f32;
  Value logits = graph::einsum("batch len kv q dim, batch src kv dim -> batch kv q len src", q, k,
                               {.out = sums});
  if (!bias.is_null()) logits = logits + graph::cast(bias, sums);
  if (!mask.is_null()) {
    Value seen = graph::broadcast_to(for_heads(mask), logits.dims());
    logits = graph::where(seen, logits, static_cast<double>(kHiddenLogit));
  }
  return graph::cast(graph::softmax(logits, -1), q.dtype());
}

Value weighted_values(Value probabilities, Value v) {
  return graph::einsum("batch kv q len src, batch src kv dim -> batch len kv q dim", probabilities,
                       v);
}

Value attention(Value q, Value k, Value v, const AttentionOptions& options, SourceLoc loc) {
  const auto& [mask, bias, drawing] = options;
  MW_CHECK(!drawing || (drawing->keep_probability > 0 && drawing->keep_probability <= 1),
           "attention: keep_probability must be above 0 and at most 1, got ",
           drawing->keep_probability, graph::origin(loc));
  const DropoutAttrs attrs{drawing ? drawing->keep_probability : 1};
  std::vector<Value> operands = {q, k, v};
  if (!mask.is_null()) operands.push_back(mask);
  if (drawing) std::ranges::copy(drawing->key.words(), std::back_inserter(operands));
  if (!bias.is_null()) operands.push_back(bias);
  if (!graph::becomes_kernel(kAttention, operands, attrs)) return formula(q, k, v, options);
  if (!mask.is_null()) operands[3] = whole_mask(mask, q, k);
  if (!bias.is_null()) operands.back() = graph::cast(bias, f32);
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
          return std::vector{formula(in[0], in[1], in[2], options_of(node, in, 3))};
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
    .reference = gradient_formula,
    .axes =
        [](const Node& node) {
          return axes_of(node, {kQueryAxes, kKeyAxes, kKeyAxes, kQueryAxes}, true);
        }};

}  // namespace meshwright::kernels
