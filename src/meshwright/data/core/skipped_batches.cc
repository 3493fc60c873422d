// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/skipped_batches.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/data/core/forwarding_source.h"

namespace meshwright::data {
namespace {

class Without : public ForwardingSource {
 public:
  Without(SourcePtr source, SkippedBatches skipped)
      : source_(std::move(source)), skipped_(std::move(skipped)) {}

  std::optional<std::int64_t> num_batches() const override {
    const std::optional<std::int64_t> all = source_->num_batches();
    return all ? std::optional(skipped_.num_kept(*all)) : std::nullopt;
  }
  Batch batch(std::int64_t step, Rows rows) const override {
    return source_->batch(skipped_.position(step), rows);
  }
  std::vector<RowPart> row_parts(std::int64_t step, std::int64_t row) const override {
    return source_->row_parts(skipped_.position(step), row);
  }
  std::string part_of_row(std::int64_t step, std::int64_t row) const override {
    return source_->part_of_row(skipped_.position(step), row);
  }
  std::vector<PartUse> uses(std::int64_t num_batches) const override {
    return source_->uses(skipped_.end(num_batches));
  }

 protected:
  const Source& source() const override { return *source_; }

 private:
  SourcePtr source_;
  SkippedBatches skipped_;
};

}  // namespace

SkippedBatches::SkippedBatches(std::vector<BatchRange> ranges) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  for (const BatchRange& range : ranges)
    MW_CHECK(range.first >= 0 && range.first <= range.last && range.last <= kMost,
             "data: skipped batches ", range.first, " to ", range.last,
             ": expected 0 <= first <= last <= 2^60");
  std::ranges::sort(ranges, {}, &BatchRange::first);
  std::int64_t kept = 0;
  for (const BatchRange& range : ranges) {
    if (!ranges_.empty() && range.first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, range.last);
      continue;
    }
    kept += range.first - (ranges_.empty() ? 0 : ranges_.back().last + 1);
    ranges_.push_back(range);
    kept_before_.push_back(kept);
  }
}

std::int64_t SkippedBatches::position(std::int64_t k) const {
  const auto range = std::ranges::upper_bound(kept_before_, k) - kept_before_.begin();
  if (range == 0) return k;
  const auto before = static_cast<std::size_t>(range - 1);
  return ranges_[before].last + 1 + k - kept_before_[before];
}

std::int64_t SkippedBatches::num_kept(std::int64_t num_batches) const {
  const auto range =
      std::ranges::lower_bound(ranges_, num_batches, {}, &BatchRange::first) - ranges_.begin();
  if (range == 0) return num_batches;
  const auto before = static_cast<std::size_t>(range - 1);
  const std::int64_t after = std::max<std::int64_t>(0, num_batches - ranges_[before].last - 1);
  return kept_before_[before] + after;
}

SourcePtr without(SourcePtr source, SkippedBatches skipped) {
  if (skipped.ranges().empty()) return source;
  return std::make_shared<Without>(std::move(source), std::move(skipped));
}

}  // namespace meshwright::data
