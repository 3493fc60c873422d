// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention_blocks.h"

#include <span>
#include <utility>
#include <vector>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/kernels/attention/attention_formula.h"
#include "meshwright/kernels/attention/attention_operands.h"
#include "meshwright/kernels/attention/distance_bias.h"
#include "meshwright/kernels/attention/query_blocks.h"
#include "meshwright/kernels/simd/softmax.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

DType dtype_of_sums(Value q) {
  return q.dtype() == f64 ? f64 : f32;
}

// The attention of some queries to the keys that they may see.
class Block {
 public:
  Block(const QueryBlocks& blocks, Value begin, Value q, Value k, const AttentionOptions& options)
      : blocks_(blocks),
        begin_(begin),
        first_key_(blocks.keys_follow ? first_following_key(blocks, begin, k.dim(1)) : Value()),
        len_(q.dim(1)),
        src_(k.dim(1)),
        options_(options),
        q_(rows(q, 1)),
        k_(keys(k)) {}

  Value q() const { return q_; }
  Value k() const { return k_; }
  /// Returns the block's part of an array with a dimension of all queries.
  Value rows(Value x, std::int64_t dim) const {
    return blocks_.size == len_ ? x : dynamic_slice_in_dim(x, dim, begin_, blocks_.size);
  }
  Value with_rows(Value x, Value part, std::int64_t dim) const {
    return blocks_.size == len_ ? part : dynamic_update_slice_in_dim(x, part, dim, begin_);
  }
  /// Returns the part of the keys that the block sees of an array [batch, src, ...].
  Value keys(Value x) const { return keys(x, 1); }
  /// Adds to that part.
  Value plus_keys(Value x, Value part) const {
    if (blocks_.num_keys == src_) return x + part;
    return dynamic_update_slice_in_dim(x, keys(x) + part, 1, first_key());
  }

  /// Adds the gradient of the block's bias, [kv, q, len, src], to that of the whole bias.
  Value plus_bias(Value x, Value part) const {
    if (options_.distance_bias.is_null()) {
      if (part.dims() == x.dims()) return part;
      return graph::dynamic_update_slice(x, part, {0, 0, begin_, first_key()});
    }
    Value sums = sum_by_distance(part);
    if (sums.dims() == x.dims()) return x + sums;
    Value old = dynamic_slice_in_dim(x, 2, first_distance(), sums.dim(2));
    return dynamic_update_slice_in_dim(x, old + sums, 2, first_distance());
  }

  /// Returns the scores, [batch, kv, q, len, src], with kHiddenLogit where a query does not see a
  /// key.
  Value scores() const {
    const DType sums = dtype_of_sums(q_);
    Value out = graph::einsum("batch len kv q dim, batch src kv dim -> batch kv q len src", q_, k_,
                              {.out = sums});
    if (is_biased()) out = out + graph::cast(bias(), sums);
    Value seen = this->seen();
    return seen.is_null() ? out : graph::where(whole(seen, out), out, double{kHiddenLogit});
  }

  /// Returns exp(scores - log_sums): the probabilities, up to rounding those of the forward pass.
  Value probabilities(Value log_sums) const {
    log_sums = graph::expand_dims(log_sums, {4});
    Value out = graph::exp(scores() - log_sums);
    if (!may_see_nothing()) return out;
    // If a query sees nothing, log_sums is too coarse to tell how many keys there are.
    return graph::where(whole(log_sums < kHiddenLogit / 2, out),
                        1 / static_cast<double>(blocks_.num_keys), out);
  }

  /// Returns x, which is 0 where a probability is, with zeros for all keys that a query does not
  /// see: one that sees nothing has probabilities for them.
  Value only_seen(Value x) const {
    return may_see_nothing() ? graph::where(whole(seen(), x), x, 0.0) : x;
  }

 private:
  bool is_biased() const { return !options_.bias.is_null() || !options_.distance_bias.is_null(); }
  bool may_see_nothing() const {
    return !options_.mask.is_null() || !options_.key_segments.is_null() ||
           (options_.window > 0 && !options_.key_lengths.is_null());
  }
  static Value whole(Value x, Value like) { return graph::broadcast_to(x, like.dims()); }

  static Value first_following_key(const QueryBlocks& blocks, Value begin, std::int64_t src) {
    if (blocks.num_keys == src) return {};
    return graph::maximum(begin + (blocks.size - blocks.num_keys), 0);
  }
  Value first_key() const { return first_key_.is_null() ? graph::constant(0, s32) : first_key_; }
  Value keys(Value x, int dim) const {
    if (blocks_.num_keys == src_) return x;
    return first_key_.is_null() ? take_slice(x, dim, 0, blocks_.num_keys)
                                : dynamic_slice_in_dim(x, dim, first_key_, blocks_.num_keys);
  }

  // The element of distance_bias for the block's last query and first key.
  Value first_distance() const {
    Value out = len_ - blocks_.size - begin_;
    return first_key_.is_null() ? out : out + first_key_;
  }

  // [kv, q, len, src]
  Value bias() const {
    if (Value all = options_.distance_bias; !all.is_null()) {
      const std::int64_t num = blocks_.size + blocks_.num_keys - 1;
      if (num != all.dim(2)) all = dynamic_slice_in_dim(all, 2, first_distance(), num);
      return bias_of_distances(all, blocks_.size, blocks_.num_keys);
    }
    return keys(rows(options_.bias, 2), 3);
  }

  // Returns a condition that broadcasts to [batch, kv, q, len, src], or null.
  Value seen() const {
    AttentionOptions own = options_;
    if (Value& mask = own.mask; !mask.is_null()) {
      const int queries = static_cast<int>(mask.rank()) - 2;
      if (mask.dim(queries) != 1) mask = rows(mask, queries);
    }
    if (!own.segments.is_null()) {
      own.key_segments = keys(own.key_segments.is_null() ? own.segments : own.key_segments);
      own.segments = rows(own.segments, 1);
    }
    const Value out = mask_of(blocks_.size, blocks_.num_keys, own, begin_, first_key_);
    return out.is_null() ? out : for_heads(out);
  }

  const QueryBlocks blocks_;
  Value begin_, first_key_;
  std::int64_t len_, src_;
  const AttentionOptions& options_;
  Value q_, k_;
};

// Calls body(block, carry) for each block, and returns the last carry.
template <typename Body>
std::vector<Value> over_blocks(
    Value q, Value k, const AttentionOptions& options, std::vector<Value> carry, const Body& body) {
  for (const QueryBlocks& blocks : query_blocks(q, k, options)) {
    carry = for_each_block(blocks, std::move(carry), [&](Value begin, std::span<const Value> now) {
      graph::AxisScope own_axes;
      return body(Block(blocks, begin, q, k, options), now);
    });
  }
  return carry;
}

// Returns the mean gradient of each query's probabilities, [batch, kv, q, len].
Value means_of(Value out, Value given, DType sums) {
  Value mean = graph::reduce_sum(graph::cast(out, sums) * graph::cast(given, sums), {4});
  return graph::transpose(mean, {0, 2, 3, 1});
}

}  // namespace

BlockedAttention attention_in_blocks(Value q, Value k, Value v, const AttentionOptions& options) {
  const DType sums = dtype_of_sums(q);
  std::vector<Value> out = over_blocks(
      q, k, options, {graph::zeros(q.type()), graph::zeros({sums, dims_of_log_sums(q.dims())})},
      [&](const Block& block, std::span<const Value> all) {
        Value scores = block.scores();
        Value largest = graph::reduce_max(scores, {4}, {.keep_dims = true});
        Value powers = graph::exp(scores - largest);
        Value sum = graph::reduce_sum(powers, {4}, {.keep_dims = true});
        Value mixed = graph::einsum("batch kv q len src, batch src kv dim -> batch len kv q dim",
                                    graph::cast(powers / sum, q.dtype()), block.keys(v));
        Value log_sums = graph::squeeze(largest + graph::log(sum), {4});
        return std::vector{block.with_rows(all[0], mixed, 1), block.with_rows(all[1], log_sums, 3)};
      });
  return {out[0], out[1]};
}

AttentionGradients attention_gradient_in_blocks(Value q,
                                                Value k,
                                                Value v,
                                                const AttentionOptions& options,
                                                const std::optional<BlockedAttention>& forward,
                                                Value given) {
  const DType sums = dtype_of_sums(q);
  const graph::DotOptions wide{.out = sums};
  Value means = forward ? means_of(forward->out, given, sums) : Value();
  std::vector<Value> carry = {graph::zeros(q.type()), graph::zeros({sums, k.dims()}),
                              graph::zeros({sums, v.dims()})};
  Value bias = options.distance_bias.is_null() ? options.bias : options.distance_bias;
  if (!bias.is_null()) carry.push_back(graph::zeros({sums, bias.dims()}));
  carry = over_blocks(
      q, k, options, std::move(carry), [&](const Block& block, std::span<const Value> all) {
        Value of_rows = block.rows(given, 1);
        Value probabilities = forward ? block.probabilities(block.rows(forward->log_sums, 3))
                                      : graph::softmax(block.scores(), -1);
        Value d_probabilities =
            graph::einsum("batch len kv q dim, batch src kv dim -> batch kv q len src", of_rows,
                          block.keys(v), wide);
        Value mean =
            forward ? graph::expand_dims(block.rows(means, 3), {4})
                    : graph::reduce_sum(probabilities * d_probabilities, {4}, {.keep_dims = true});
        Value d_scores = block.only_seen(probabilities * (d_probabilities - mean));
        Value rounded = graph::cast(d_scores, q.dtype());
        Value d_q = graph::einsum("batch kv q len src, batch src kv dim -> batch len kv q dim",
                                  rounded, block.k());
        Value d_k = graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim",
                                  rounded, block.q(), wide);
        Value d_v = graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim",
                                  graph::cast(probabilities, q.dtype()), of_rows, wide);
        std::vector<Value> next = {block.with_rows(all[0], d_q, 1), block.plus_keys(all[1], d_k),
                                   block.plus_keys(all[2], d_v)};
        if (!bias.is_null())
          next.push_back(block.plus_bias(all[3], graph::reduce_sum(d_scores, {0})));
        return next;
      });
  AttentionGradients out{carry[0], graph::cast(carry[1], k.dtype()),
                         graph::cast(carry[2], v.dtype())};
  if (!bias.is_null()) out.bias = graph::cast(carry[3], bias.dtype());
  return out;
}

}  // namespace meshwright::kernels
