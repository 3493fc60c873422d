// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/step_name.h"

#include <algorithm>

#include "meshwright/base/check.h"

namespace meshwright::checkpoint {

std::string padded_step_name(std::string_view prefix, int num_digits, std::int64_t step) {
  std::string digits = std::to_string(step);
  auto width = static_cast<std::size_t>(num_digits);
  MW_CHECK(step >= 0 && digits.size() <= width, "checkpoint: step ", step, " is not in 0 to ",
           std::string(width, '9'));
  return str(prefix, std::string(width - digits.size(), '0'), digits);
}

std::optional<std::int64_t> find_padded_step(std::string_view prefix,
                                             int num_digits,
                                             std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  bool is_number = name.size() == static_cast<std::size_t>(num_digits) &&
                   std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return std::nullopt;
  std::int64_t step = 0;
  for (char digit : name)
    step = 10 * step + (digit - '0');
  return step;
}

}  // namespace meshwright::checkpoint
