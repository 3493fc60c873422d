// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/data/core/combinators.h"

namespace meshwright::data {

/// Batches [first, last].
struct BatchRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const BatchRange&) const = default;
};

/// Batches of a source to leave out: the k-th batch that a run trains on is the k-th of the others.
class SkippedBatches {
 public:
  SkippedBatches() = default;
  /// Ranges may overlap. Throws invalid_argument unless 0 <= first <= last.
  explicit SkippedBatches(std::vector<BatchRange> ranges);

  /// Returns the number, in the source, of the batch that a run trains on after k others.
  std::int64_t position(std::int64_t k) const;
  /// Returns how many batches of the source have been used or skipped once a run has trained on k.
  /// Batches that are skipped next do not count.
  std::int64_t end(std::int64_t k) const { return k == 0 ? 0 : position(k - 1) + 1; }
  /// Returns how many of the first `num_batches` batches of the source are not skipped.
  std::int64_t num_kept(std::int64_t num_batches) const;

  /// Sorted and disjoint.
  const std::vector<BatchRange>& ranges() const { return ranges_; }

 private:
  std::vector<BatchRange> ranges_;
  std::vector<std::int64_t> kept_before_;  // batches before each range that are not skipped
};

/// Returns a source without these batches. Its name and identity are those of `source`.
SourcePtr without(SourcePtr source, SkippedBatches skipped);

}  // namespace meshwright::data
