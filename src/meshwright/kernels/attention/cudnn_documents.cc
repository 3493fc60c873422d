// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/cudnn_documents.h"

#include <limits>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/cumulative.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

// On average over the rows of a device. cuDNN stores a log-sum for each query and each of them, so
// more would cost memory.
constexpr std::int64_t kDocumentsPerRow = 32;

// True where a run of equal ids begins, [batch, len].
Value begins_document(Value segments) {
  const std::int64_t len = segments.dim(1);
  Value differs =
      graph::not_equal(take_slice(segments, 1, 1, len), take_slice(segments, 1, 0, len - 1));
  return graph::concatenate({graph::constant(1, pred, {segments.dim(0), 1}), differs}, 1);
}

}  // namespace

Value fits_cudnn(Value segments) {
  const std::int64_t len = segments.dim(1);
  Value order =
      graph::where(graph::equal(segments, 0), std::numeric_limits<std::int32_t>::max(), segments);
  Value is_in_order =
      graph::reduce_and(take_slice(order, 1, 1, len) >= take_slice(order, 1, 0, len - 1), {0, 1});
  Value num = graph::reduce_sum(graph::cast(begins_document(segments), s32), {0, 1});
  return graph::logical_and(is_in_order, num <= segments.dim(0) * kDocumentsPerRow);
}

CudnnMask documents_as_mask(Value segments,
                            std::int64_t elements_per_query,
                            std::int64_t elements_per_key) {
  const std::int64_t batch = segments.dim(0), num_tokens = batch * segments.dim(1);
  // The number of the document of each token, from 1, counted through all rows.
  Value number =
      graph::cumsum(graph::cast(graph::reshape(begins_document(segments), {num_tokens}), s32), 0);
  // Document i begins after the tokens of all before it; those that do not exist are at the end.
  const auto num_before = [&](std::int64_t size) {
    Value is_before = graph::expand_dims(number, {1}) <= graph::iota(s32, {1, size}, 1);
    return graph::reduce_sum(graph::cast(is_before, s32), {0});
  };
  const std::int64_t most = batch * kDocumentsPerRow;
  Value begins = num_before(batch * (kDocumentsPerRow + 1));
  Value lengths = take_slice(begins, 0, 1, most + 1) - take_slice(begins, 0, 0, most);
  lengths = graph::reshape(lengths, {batch, kDocumentsPerRow});
  begins = graph::reshape(begins, {batch, kDocumentsPerRow + 1});
  return {.query_lengths = lengths,
          .key_lengths = lengths,
          .query_offsets = begins * elements_per_query,
          .key_offsets = begins * elements_per_key,
          .documents_per_row = kDocumentsPerRow};
}

}  // namespace meshwright::kernels
