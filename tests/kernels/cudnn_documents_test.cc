// SPDX-License-Identifier: Apache-2.0
// The lengths and offsets by which cuDNN finds the documents of packed rows.
#include "meshwright/kernels/attention/cudnn_documents.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::kernels {
namespace {

using graph::Value;
using Ids = std::vector<std::int32_t>;

HostTensor rows_of(const Ids& ids, std::int64_t num_rows) {
  HostTensor out({s32, {num_rows, std::ssize(ids) / num_rows}});
  std::ranges::copy(ids, out.mutable_values<std::int32_t>().begin());
  return out;
}

Ids numbers_of(const spmd::Outcome& outcome, std::size_t result) {
  Ids out;
  for (const double value : outcome.results[result].to_doubles())
    out.push_back(static_cast<std::int32_t>(value));
  return out;
}

// Returns lengths, offsets of queries, offsets of keys and whether cuDNN can take the rows.
std::vector<Ids> described(const Ids& ids, std::int64_t num_rows) {
  const spmd::Outcome outcome =
      spmd::run_on({}, {{rows_of(ids, num_rows), {}}}, [](std::span<const Value> in) {
        const CudnnMask mask = documents_as_mask(in[0], 10, 3);
        std::vector<Value> out = {mask.key_lengths, mask.query_offsets, mask.key_offsets,
                                  fits_cudnn(in[0])};
        for (Value& each : out)
          each = graph::cast(each, f32);
        return out;
      });
  return {numbers_of(outcome, 0), numbers_of(outcome, 1), numbers_of(outcome, 2),
          numbers_of(outcome, 3)};
}

Ids padded_with(std::int32_t rest, Ids begin, std::size_t size) {
  begin.resize(size, rest);
  return begin;
}

TEST(CudnnDocuments, AreRunsOfAllRows) {
  const std::vector<Ids> found = described({1, 1, 2, 2, 2, 0, /**/ 1, 1, 1, 1, 2, 2}, 2);
  EXPECT_EQ(found[0], padded_with(0, {2, 3, 1, 4, 2}, 64));
  EXPECT_EQ(found[1], padded_with(120, {0, 20, 50, 60, 100}, 66));
  EXPECT_EQ(found[2], padded_with(36, {0, 6, 15, 18, 30}, 66));
  EXPECT_EQ(found[3], Ids{1});
}

// Equal ids at the end of a row and at the beginning of the next are two documents.
TEST(CudnnDocuments, EndWithTheirRow) {
  EXPECT_EQ(described({7, 7, 7, 7}, 2)[0], padded_with(0, {2, 2}, 64));
}

TEST(CudnnDocuments, MustBeInOrder) {
  EXPECT_EQ(described({1, 1, 2, 0, 0, 0}, 1)[3], Ids{1});
  EXPECT_EQ(described({1, 2, 1, 0, 0, 0}, 1)[3], Ids{0});
  EXPECT_EQ(described({1, 0, 2, 0, 0, 0}, 1)[3], Ids{0});
  EXPECT_EQ(described({5, 5, 6, /**/ 1, 1, 2}, 2)[3], Ids{1});
}

// At most 32 per row on average.
TEST(CudnnDocuments, MustBeFew) {
  Ids row(32);
  std::iota(row.begin(), row.end(), 1);
  EXPECT_EQ(described(row, 1)[3], Ids{1});
  row.push_back(33);
  EXPECT_EQ(described(row, 1)[3], Ids{0});
  row.insert(row.end(), 33, 1);
  EXPECT_EQ(described(row, 2)[3], Ids{1});
}

}  // namespace
}  // namespace meshwright::kernels
