// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention_formula.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/attention/distance_bias.h"
#include "meshwright/kernels/simd/softmax.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

Value both(Value a, Value b) {
  return a.is_null() ? b : graph::logical_and(a, b);
}

Value dropped(Value probabilities, const AttentionOptions& options) {
  return options.dropout ? dropout(probabilities, *options.dropout) : probabilities;
}

}  // namespace

Value for_heads(Value mask) {
  MW_CHECK(mask.rank() == 2 || mask.rank() == 3,
           "attention: the mask must be [len, src] or [batch, len, src]", ", got ", mask,
           graph::origin(SourceLoc()));
  return mask.rank() == 2 ? mask : expand_dims(mask, {1, 2});
}

Value mask_of(std::int64_t num_queries,
              std::int64_t num_keys,
              const AttentionOptions& options,
              Value first_query,
              Value first_key) {
  Value seen = options.mask, key = graph::iota(s32, {1, num_keys}, 1);
  if (!first_key.is_null()) key = key + first_key;
  if (options.causal) {
    Value query = graph::iota(s32, {num_queries, 1});
    if (!first_query.is_null()) query = query + first_query;
    Value is_seen = query >= key;
    if (options.window > 0) is_seen = both(is_seen, query < key + options.window);
    if (!options.prefix.is_null())
      is_seen = graph::logical_or(is_seen, key < graph::expand_dims(options.prefix, {1, 2}));
    seen = both(seen, is_seen);
  }
  if (!options.key_lengths.is_null())
    seen = both(seen, key < graph::maximum(graph::expand_dims(options.key_lengths, {1, 2}), 1));
  if (options.segments.is_null()) return seen;
  Value of_keys = options.key_segments.is_null() ? options.segments : options.key_segments;
  return both(seen, graph::equal(graph::expand_dims(options.segments, {2}),
                                 graph::expand_dims(of_keys, {1})));
}

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

Value attention_formula(Value q, Value k, Value v, const AttentionOptions& options) {
  Value bias = options.bias;
  if (!options.distance_bias.is_null())
    bias = bias_of_distances(options.distance_bias, q.dim(1), k.dim(1));
  Value probs = attention_probabilities(q, k, mask_of(q.dim(1), k.dim(1), options), bias);
  return weighted_values(dropped(probs, options), v);
}

AttentionGradients attention_gradient_formula(
    Value q, Value k, Value v, const AttentionOptions& options, Value gradient) {
  Value mask = mask_of(q.dim(1), k.dim(1), options), bias = options.bias;
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
  return {graph::einsum("batch kv q len src, batch src kv dim -> batch len kv q dim", d_logits, k),
          graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim", d_logits, q),
          graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim",
                        dropped(probs, options), gradient),
          d_bias};
}

}  // namespace meshwright::kernels
