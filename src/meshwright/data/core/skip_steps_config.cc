// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/skip_steps_config.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"

namespace meshwright {
namespace {

std::optional<std::int64_t> find_number(std::string_view text) {
  std::int64_t out = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end ? std::optional(out) : std::nullopt;
}

}  // namespace

data::BatchRange config::Text<data::BatchRange>::parse(const std::string& text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = find_number(std::string_view(text).substr(0, dash));
  const auto last = find_number(std::string_view(text).substr(std::min(dash + 1, text.size())));
  MW_CHECK(first && last, "write it as FIRST-LAST");
  MW_CHECK(*first >= 0 && *first <= *last, "it ends before it begins");
  return {*first, *last};
}

std::string config::Text<data::BatchRange>::print(const data::BatchRange& range) {
  return str(range.first, "-", range.last);
}

data::SkippedBatches data::skipped_batches(const SkipStepsConfig& skip_steps) {
  std::vector<BatchRange> ranges;
  for (const SkippedSteps& steps : skip_steps) {
    if (const auto* range = std::get_if<BatchRange>(&steps)) {
      ranges.push_back(*range);
    } else {
      const std::int64_t step = std::get<std::int64_t>(steps);
      ranges.push_back({step, step});
    }
  }
  return SkippedBatches(std::move(ranges));
}

}  // namespace meshwright
