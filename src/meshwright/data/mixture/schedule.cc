// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/mixture/schedule.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"

namespace meshwright::data {

std::vector<std::int64_t> MixtureSchedule::Stretch::of_first(std::int64_t num_rows) const {
  std::vector<std::int64_t> out = before;
  const std::vector<std::int64_t> added = quotas.of_first(num_rows - first_row);
  for (std::size_t i = 0; i < parts.size(); ++i)
    out[parts[i]] += added[i];
  return out;
}

MixtureSchedule::MixtureSchedule(std::vector<ScheduledPart> parts, WhenFinished when_finished)
    : parts_(std::move(parts)) {
  for (const ScheduledPart& part : parts_)
    MW_CHECK(!part.num_rows || when_finished != WhenFinished::repeat,
             "mixture: parts that repeat must be endless");
  stretches_.push_back(stretch_after(0, std::vector<std::int64_t>(parts_.size())));
  while (const std::optional<std::int64_t> end = end_of(stretches_.back())) {
    const std::vector<std::int64_t> before = stretches_.back().of_first(*end);
    const auto has_rows = [&](std::size_t part) {
      return !parts_[part].num_rows || *parts_[part].num_rows > before[part];
    };
    const bool has_more = std::ranges::any_of(stretches_.back().parts, has_rows);
    if (when_finished == WhenFinished::stop || !has_more) {
      num_rows_ = end;
      return;
    }
    stretches_.push_back(stretch_after(*end, before));
  }
}

// Begins a stretch with the parts that still have rows.
MixtureSchedule::Stretch MixtureSchedule::stretch_after(std::int64_t first_row,
                                                        std::vector<std::int64_t> before) const {
  std::vector<std::size_t> active;
  std::vector<double> weights;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (parts_[part].num_rows && *parts_[part].num_rows <= before[part]) continue;
    active.push_back(part);
    weights.push_back(parts_[part].weight);
  }
  return {first_row, std::move(before), std::move(active), Quotas(weights)};
}

// Returns the number of rows of the mixture after which the next one would belong to a part that
// has none left; nullopt if there is no such row, or none that anybody will see.
std::optional<std::int64_t> MixtureSchedule::end_of(const Stretch& stretch) const {
  const auto fits = [&](std::int64_t num_rows) {
    const std::vector<std::int64_t> counts = stretch.of_first(num_rows);
    return std::ranges::all_of(stretch.parts, [&](std::size_t part) {
      return !parts_[part].num_rows || counts[part] <= *parts_[part].num_rows;
    });
  };
  const auto is_finite = [&](std::size_t part) { return parts_[part].num_rows.has_value(); };
  if (std::ranges::none_of(stretch.parts, is_finite)) return std::nullopt;
  constexpr std::int64_t kMax = std::int64_t{1} << 60;
  std::int64_t low = stretch.first_row, high = std::max<std::int64_t>(1, 2 * low);
  while (fits(high)) {
    if (high >= kMax) return std::nullopt;
    low = high;
    high *= 2;
  }
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::vector<std::int64_t> MixtureSchedule::of_first(std::int64_t num_rows) const {
  MW_CHECK(num_rows >= 0 && num_rows <= num_rows_.value_or(num_rows), "mixture: row ", num_rows,
           " is past the end");
  const auto after = std::ranges::upper_bound(stretches_, num_rows, {}, &Stretch::first_row);
  return std::prev(after)->of_first(num_rows);
}

}  // namespace meshwright::data
