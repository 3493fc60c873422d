// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/cudnn_attention.h"

#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/kernels/attention/attention_blocks.h"
#include "meshwright/kernels/attention/attention_operands.h"
#include "meshwright/kernels/attention/cudnn_call.h"
#include "meshwright/kernels/attention/cudnn_documents.h"

namespace meshwright::kernels {

using graph::Node;
using graph::Value;

namespace {

constexpr std::int64_t kMostDim = 128;

Value with_heads(Value q) {
  return graph::reshape(q, {q.dim(0), q.dim(1), q.dim(2) * q.dim(3), q.dim(4)});
}

// A bias is [kv, q, len, src].
Value as_cudnn_bias(Value bias) {
  const Dims dims = {1, bias.dim(0) * bias.dim(1), bias.dim(2), bias.dim(3)};
  return graph::reshape(graph::cast(bias, bf16), dims);
}

CudnnMask cudnn_mask(Value q, Value k, const AttentionOptions& options) {
  CudnnMask out;
  if (!options.segments.is_null()) {
    out = documents_as_mask(options.segments, q.dim(2) * q.dim(3), k.dim(2) * k.dim(3));
  } else if (!options.key_lengths.is_null()) {
    out.query_lengths = graph::constant(q.dim(1), s32, {q.dim(0)});
    out.key_lengths = graph::minimum(graph::maximum(options.key_lengths, 1), k.dim(1));
  }
  out.causal = options.causal;
  out.window = options.window;
  return out;
}

CudnnInput input_of(std::span<const Value> in, const AttentionOptions& options) {
  Value q = with_heads(in[0]);
  return {.q = q,
          .k = in[1],
          .v = in[2],
          .bias = options.bias.is_null() ? Value() : as_cudnn_bias(options.bias),
          .mask = cudnn_mask(q, in[1], options)};
}

std::vector<Value> gradients_of(const CudnnGradients& found,
                                Value q,
                                const AttentionOptions& options) {
  std::vector<Value> out = {graph::reshape(found.q, q.dims()), found.k, found.v};
  if (!options.bias.is_null())
    out.push_back(graph::reshape(graph::cast(found.bias, f32), options.bias.dims()));
  return out;
}

std::string obstacle_of_documents(const Node& op,
                                  int num_segments,
                                  const graph::KernelTarget& target) {
  if (num_segments > 1) return "cuDNN's attention takes no other documents for keys";
  if (op.attr<AttentionAttrs>().has_key_lengths)
    return "cuDNN's attention takes either documents or lengths";
  if (target.program.compute_capability < graph::kHopper)  // the first with ragged rows
    return "cuDNN's attention takes documents only on GPUs known to be Hopper or later";
  return "";
}

}  // namespace

std::string obstacle_of_cudnn(const Node& op, int first_extra, const graph::KernelTarget& target) {
  const graph::Type &q = op.in(0), &k = op.in(1);
  const auto& attrs = op.attr<AttentionAttrs>();
  if (q.dtype != bf16) return str("cuDNN's attention takes bf16, not ", q.dtype);
  if (q.dims[4] > kMostDim || q.dims[4] % 8 != 0)
    return str("cuDNN's attention takes heads of at most ", kMostDim,
               " dimensions, a multiple of 8, not ", q.dims[4]);
  int num_segments = 0, num_lengths = 0;
  for (int i = first_extra; i < op.num_operands(); ++i) {
    const graph::Type& extra = op.in(i);
    if (extra.dtype == pred) return "cuDNN's attention takes no mask";
    if (extra.dtype == s32) ++(extra.rank() == 1 ? num_lengths : num_segments);
    if (extra.dtype != f32) continue;
    if (extra.rank() == 3) return "cuDNN's attention takes no bias by distance";
    if (num_segments > 0) return "cuDNN's attention takes either documents or a bias";
    if (q.dims[1] % 2 != 0 || k.dims[1] % 2 != 0)
      return "cuDNN's attention takes a bias only for even numbers of queries and keys";
  }
  if (num_lengths > (attrs.has_key_lengths ? 1 : 0)) return "cuDNN's attention takes no prefixes";
  // A query that is far behind the last key sees none; what cuDNN returns then is not documented.
  if (attrs.has_key_lengths && attrs.window > 0)
    return "cuDNN's attention takes either lengths or a window";
  return num_segments == 0 ? "" : obstacle_of_documents(op, num_segments, target);
}

std::vector<Value> attention_by_cudnn(const Node& node, std::span<const Value> in) {
  const AttentionOptions options = options_of(node, in, 3);
  const auto by_cudnn = [&](bool has_documents) {
    const CudnnOutput found = call_cudnn_attention(input_of(in, options));
    const Dims sums = dims_of_log_sums(in[0].dims());
    return std::vector{
        graph::reshape(found.out, in[0].dims()),
        has_documents ? graph::zeros({f32, sums}) : graph::reshape(found.log_sums, sums)};
  };
  if (options.segments.is_null()) return by_cudnn(false);
  return graph::cond(
      fits_cudnn(options.segments), [&](std::span<const Value>) { return by_cudnn(true); },
      [&](std::span<const Value>) {
        const BlockedAttention found = attention_in_blocks(in[0], in[1], in[2], options);
        return std::vector{found.out, found.log_sums};
      });
}

std::vector<Value> attention_gradient_by_cudnn(const Node& node, std::span<const Value> in) {
  const AttentionOptions options = options_of(node, in, 6);
  const BlockedAttention forward{in[4], in[5]};
  const auto by_cudnn = [&](const CudnnInput& input, Value log_sums) {
    const CudnnOutput result{with_heads(forward.out), log_sums};
    return gradients_of(call_cudnn_attention_gradient(input, result, with_heads(in[3])), in[0],
                        options);
  };
  if (options.segments.is_null()) {
    const CudnnInput input = input_of(in, options);
    return by_cudnn(
        input, graph::reshape(forward.log_sums, {input.q.dim(0), input.q.dim(2), input.q.dim(1)}));
  }
  return graph::cond(
      fits_cudnn(options.segments),
      [&](std::span<const Value>) {
        const CudnnInput input = input_of(in, options);
        // Its log-sums are in an order that only cuDNN knows, and too large to keep.
        return by_cudnn(input, call_cudnn_attention(input).log_sums);
      },
      [&](std::span<const Value>) {
        return attention_gradient_in_blocks(in[0], in[1], in[2], options, forward, in[3]).all();
      });
}

}  // namespace meshwright::kernels
