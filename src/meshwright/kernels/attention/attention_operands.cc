// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention_operands.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "meshwright/base/str.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::Type;
using graph::Value;

namespace {

// For fewer queries, as in decoding, packing the keys would cost more than the products.
constexpr std::int64_t kFewestQueries = 8;

void check_mask(const Node& node, int at, bool may_broadcast) {
  const Type &q = node.in(0), &mask = node.in(at);
  Dims seen = {q.dims[1], node.in(1).dims[1]};
  if (mask.dims.size() == 3) seen.insert(seen.begin(), q.dims[0]);
  bool fits = mask.dims.size() == seen.size();
  for (std::size_t i = 0; fits && i < seen.size(); ++i)
    fits = mask.dims[i] == seen[i] || (may_broadcast && mask.dims[i] == 1);
  if (!fits) graph::reject(node, "the mask must be ", ArrayType{pred, seen}, ", got ", mask);
}

void check_bias(const Node& node, int at, bool may_be_by_distance) {
  const Type &q = node.in(0), &bias = node.in(at);
  const Dims distances = {q.dims[2], q.dims[3], q.dims[1] + node.in(1).dims[1] - 1};
  if (may_be_by_distance && bias.array() == ArrayType{f32, distances}) return;
  const ArrayType wanted{f32, {q.dims[2], q.dims[3], q.dims[1], node.in(1).dims[1]}};
  if (bias.dtype != wanted.dtype || bias.dims != wanted.dims)
    graph::reject(node, "a mask must be pred and a bias ", wanted, ", got ", bias);
}

bool is_segments(const Type& type) {
  return type.dtype == s32 && type.rank() == 2;
}

bool is_lengths(const Type& type) {
  return type.dtype == s32 && type.rank() == 1;
}

void check_lengths(const Node& node, int at) {
  const ArrayType wanted{s32, {node.in(0).dims[0]}};
  if (node.in(at).dims != wanted.dims)
    graph::reject(node, "the lengths of prefixes or keys must be ", wanted, ", got ", node.in(at));
}

// The segments of the queries come first, then those of the keys.
void check_segments(const Node& node, int at) {
  const bool of_keys = is_segments(node.in(at - 1));
  const bool of_both = !of_keys && (at + 1 == node.num_operands() || !is_segments(node.in(at + 1)));
  const Type &q = node.in(0), &k = node.in(1), &segments = node.in(at);
  const ArrayType wanted{s32, {q.dims[0], of_keys ? k.dims[1] : q.dims[1]}};
  if (segments.dims != wanted.dims)
    graph::reject(node, "the segments must be ", wanted, ", got ", segments);
  if (of_both && q.dims[1] != k.dims[1])
    graph::reject(node, q.dims[1], " queries and ", k.dims[1], " keys need segments each");
}

void check_extra(const Node& node, int at, bool by_blocks) {
  const Type& extra = node.in(at);
  if (extra.dtype == pred) return check_mask(node, at, by_blocks);
  if (extra.dtype == s32)
    return is_lengths(extra) ? check_lengths(node, at) : check_segments(node, at);
  if (extra.dtype != u32) return check_bias(node, at, by_blocks);
  if (extra.rank() != 0) graph::reject(node, "key words must be u32 scalars, got ", extra);
}

std::string extra_axes(const Node& node, int at) {
  const Type& type = node.in(at);
  if (type.dtype == u32) return "";
  if (is_lengths(type)) return "batch";
  if (type.dtype == s32) return is_segments(node.in(at - 1)) ? "batch src" : "batch len";
  if (type.dtype != pred) return type.rank() == 3 ? kDistanceBiasAxes : kBiasAxes;
  return type.dims.size() == 3 ? "batch len src" : "len src";
}

}  // namespace

void check_attention(const Node& node, int first_extra, bool by_blocks) {
  const Type &q = node.in(0), &k = node.in(1), &v = node.in(2);
  if (q.dims.size() != 5 || k.dims.size() != 4)
    graph::reject(node, "takes q [batch, len, kv, q, dim] and k [batch, src, kv, dim], got ", q,
                  " and ", k);
  if (q.dtype != f32 && q.dtype != bf16) graph::reject(node, "takes f32 or bf16, got ", q);
  const Dims wanted = {q.dims[0], k.dims[1], q.dims[2], q.dims[4]};
  if (k.dims != wanted || v.dims != wanted || k.dtype != q.dtype || v.dtype != q.dtype)
    graph::reject(node, "k and v must be ", ArrayType{q.dtype, wanted}, ", got ", k, " and ", v);
  int num_words = 0, num_segments = 0, num_lengths = 0;
  for (int i = first_extra; i < node.num_operands(); ++i) {
    check_extra(node, i, by_blocks);
    if (node.in(i).dtype == u32) ++num_words;
    if (is_segments(node.in(i))) ++num_segments;
    if (is_lengths(node.in(i))) ++num_lengths;
  }
  if (const bool has_key_lengths = node.attr<AttentionAttrs>().has_key_lengths;
      num_lengths > 2 || (num_lengths == 2 && !has_key_lengths) ||
      (num_lengths == 0 && has_key_lengths))
    graph::reject(node, "expected lengths of prefixes and, by its attribute, of keys, got ",
                  num_lengths, " arrays of lengths");
  if (num_segments > 2) graph::reject(node, "expected segments of queries and of keys only");
  if (num_words != 0 && num_words != 2)
    graph::reject(node, "expected two key words, got ", num_words);
}

AttentionOptions options_of(const Node& node,
                            std::span<const Value> operands,
                            std::size_t first_extra) {
  const auto& attrs = node.attr<AttentionAttrs>();
  AttentionOptions out{.causal = attrs.causal, .window = attrs.window};
  std::vector<Value> words, lengths;
  for (Value value : operands.subspan(first_extra)) {
    if (value.dtype() == u32)
      words.push_back(value);
    else if (is_lengths(value.type()))
      lengths.push_back(value);
    else if (value.dtype() == s32)
      (out.segments.is_null() ? out.segments : out.key_segments) = value;
    else if (value.dtype() == pred)
      out.mask = value;
    else
      (value.rank() == 3 ? out.distance_bias : out.bias) = value;
  }
  if (attrs.has_key_lengths) {
    out.key_lengths = lengths.back();
    lengths.pop_back();
  }
  if (!lengths.empty()) out.prefix = lengths[0];
  if (!words.empty())
    out.dropout = Drawing{graph::random::Key(graph::random::KeyKind::threefry, std::move(words)),
                          attrs.keep_probability};
  return out;
}

AttentionAttrs attrs_of(const AttentionOptions& options) {
  return {.keep_probability = options.dropout ? options.dropout->keep_probability : 1,
          .causal = options.causal,
          .window = options.window,
          .has_key_lengths = !options.key_lengths.is_null()};
}

std::vector<Value> attention_operands(Value q, Value k, Value v, const AttentionOptions& options) {
  std::vector<Value> out = {q, k, v};
  for (Value each :
       {options.mask, options.prefix, options.key_lengths, options.segments, options.key_segments})
    if (!each.is_null()) out.push_back(each);
  if (options.dropout) std::ranges::copy(options.dropout->key.words(), std::back_inserter(out));
  for (Value each : {options.bias, options.distance_bias})
    if (!each.is_null()) out.push_back(each);
  return out;
}

bool has_bias(const Node& node, int first_extra) {
  return node.num_operands() > first_extra && node.in(node.num_operands() - 1).dtype == f32;
}

std::string obstacle_of_attention(const Node& op) {
  const Type &q = op.in(0), &k = op.in(1);
  if (q.dtype != f32 && q.dtype != bf16) return str("dtype ", q.dtype);
  if (q.dims.at(1) < kFewestQueries) return str("fewer than ", kFewestQueries, " queries");
  const Dims bias = {q.dims[2], q.dims[3], q.dims[1], k.dims.at(1)};
  const Dims by_distance = {q.dims[2], q.dims[3], q.dims[1] + k.dims.at(1) - 1};
  for (Value extra : std::span(op.operands).subspan(3))
    if (is_float(extra.dtype()) && extra.dims() != bias && extra.dims() != by_distance)
      return "the bias is not [kv, q, len, src]";
  return "";
}

std::vector<std::string> gradient_axes(const Node& node, int first_extra) {
  std::vector<std::string> out = {kQueryAxes, kKeyAxes, kKeyAxes};
  if (has_bias(node, first_extra)) out.push_back(extra_axes(node, node.num_operands() - 1));
  return out;
}

KernelAxes axes_of_attention(const Node& node,
                             std::vector<std::string> operands,
                             std::vector<std::string> results) {
  KernelAxes axes{.operands = std::move(operands),
                  .results = std::move(results),
                  .whole = {"len", "src", "q", "dim"}};
  for (int i = static_cast<int>(axes.operands.size()); i < node.num_operands(); ++i) {
    axes.operands.push_back(extra_axes(node, i));
    // The draws of a shard depend on its position in the whole array.
    if (node.in(i).dtype == u32) axes.on_one_device = true;
  }
  // The gradient of the bias is a sum over the batch.
  if (axes.results.back() == kBiasAxes || axes.results.back() == kDistanceBiasAxes)
    axes.summed = {"batch"};
  return axes;
}

}  // namespace meshwright::kernels
