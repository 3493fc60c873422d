// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/integer_range.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "meshwright/base/check.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::data {
namespace {

// Two comparisons per element, written so that the compiler vectorises them.
template <typename T>
bool are_all_within(std::span<const T> values, T low, T high) {
  bool any_outside = false;
  for (const T value : values)
    any_outside |= value < low || value > high;
  return !any_outside;
}

bool are_all_within(const HostTensor& tensor, const IntegerRange& range) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (tensor.dtype() != s32) return false;  // then each element is checked separately
  const std::int32_t low = range.may_be_negative ? std::numeric_limits<std::int32_t>::min() : 0;
  const auto high = static_cast<std::int32_t>(std::min(range.size - 1, kMost));
  return are_all_within(tensor.values<std::int32_t>(), low, high);
}

// Returns text such as "[3, 17]": the row in the whole batch, and the position in that row.
std::string place_text(const HostTensor& tensor, std::int64_t index, Rows rows) {
  std::string out;
  for (const std::int64_t stride : row_major_strides(tensor.dims())) {
    const std::int64_t at = index / stride + (out.empty() ? rows.start : 0);
    out += str(out.empty() ? "row " : ", position ", at);
    index %= stride;
  }
  return out;
}

void check_integers(const Batch& batch, const IntegerRange& range, Rows rows) {
  const Batch* found = batch.find(range.array);
  if (found == nullptr || are_all_within(found->value(), range)) return;
  const HostTensor& tensor = found->value();
  std::vector<double> weights;
  if (const Batch* given = range.weights.empty() ? nullptr : batch.find(range.weights);
      given != nullptr && given->value().dims() == tensor.dims())
    weights = given->value().to_doubles();
  const std::vector<double> values = tensor.to_doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool counts = weights.empty() || weights[i] != 0;
    const bool is_low = values[i] < 0 && !range.may_be_negative;
    if (!counts || (!is_low && values[i] < static_cast<double>(range.size))) continue;
    fail(ErrorCode::invalid_argument, "'", range.array, "' is ",
         static_cast<std::int64_t>(values[i]), " in ",
         place_text(tensor, static_cast<std::int64_t>(i), rows), ", but the model accepts 0 to ",
         range.size - 1, "\nfix the data, or enlarge the model's vocabulary or number of classes");
  }
}

}  // namespace

void check_integers(const Batch& batch, const std::vector<IntegerRange>& ranges, Rows rows) {
  for (const IntegerRange& range : ranges)
    check_integers(batch, range, rows);
}

}  // namespace meshwright::data
