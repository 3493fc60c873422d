// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/source_testutil.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace meshwright::data {

std::vector<std::int32_t> ints(const Batch& batch, std::string_view path) {
  auto values = batch.at(path).value().values<std::int32_t>();
  return {values.begin(), values.end()};
}

bool is_same(const Batch& a, const Batch& b) {
  auto compare = [](const HostTensor& x, const HostTensor& y) {
    return x.type() == y.type() && std::ranges::equal(x.bytes(), y.bytes()) ? "" : "other values";
  };
  return differences(a, b, compare).empty();
}

void expect_pure(const Source& source, std::int64_t num_batches) {
  const std::int64_t size = batch_size(source);
  std::vector<Batch> batches;
  for (std::int64_t step = 0; step < num_batches; ++step) {
    batches.push_back(whole_batch(source, step));
    check_batch(source, batches.back(), size);
  }
  for (std::int64_t step = num_batches - 1; step >= 0; --step) {
    const Batch& whole = batches[static_cast<std::size_t>(step)];
    EXPECT_TRUE(is_same(whole_batch(source, step), whole)) << "batch " << step;
    for (std::int64_t row = 0; row < size; ++row) {
      Batch of_row = map(whole, [&](const HostTensor& all) {
        ArrayType type = all.type();
        const std::size_t bytes = all.num_bytes() / static_cast<std::size_t>(size);
        type.dims[0] = 1;
        HostTensor out(type);
        std::copy_n(all.data() + static_cast<std::size_t>(row) * bytes, bytes, out.mutable_data());
        return out;
      });
      EXPECT_TRUE(is_same(source.batch(step, {row, row + 1}), of_row)) << step << " row " << row;
    }
  }
}

}  // namespace meshwright::data
