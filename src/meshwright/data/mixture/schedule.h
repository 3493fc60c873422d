// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "meshwright/data/mixture/quotas.h"

namespace meshwright::data {

/// Treatment of a part that has no more rows.
enum class WhenFinished {
  repeat,  // it starts over: its source must be endless
  stop,    // the mixture ends with it
  drop,    // the other parts continue in the ratios of their weights
};

struct ScheduledPart {
  double weight = 1;
  /// Number of rows after which the part has finished; absent: endless.
  std::optional<std::int64_t> num_rows = {};
};

/// Divides the rows of a mixture among its parts, some of which may end. Immutable.
class MixtureSchedule {
 public:
  /// With WhenFinished::repeat, all parts must be endless. Throws invalid_argument for weights that
  /// Quotas refuses.
  MixtureSchedule(std::vector<ScheduledPart> parts, WhenFinished when_finished);

  /// Returns the number of rows of the mixture; nullopt if it is endless.
  std::optional<std::int64_t> num_rows() const { return num_rows_; }
  /// Returns the number of rows that each part has among the first `num_rows`, which must exist.
  /// O(parts).
  std::vector<std::int64_t> of_first(std::int64_t num_rows) const;

 private:
  // A range of rows in which the same parts take part.
  struct Stretch {
    std::int64_t first_row;
    std::vector<std::int64_t> before;  // rows of each part before the stretch
    std::vector<std::size_t> parts;    // those that take part
    Quotas quotas;

    std::vector<std::int64_t> of_first(std::int64_t num_rows) const;
  };

  Stretch stretch_after(std::int64_t first_row, std::vector<std::int64_t> before) const;
  std::optional<std::int64_t> end_of(const Stretch& stretch) const;

  std::vector<ScheduledPart> parts_;
  std::vector<Stretch> stretches_;  // one, unless parts are dropped
  std::optional<std::int64_t> num_rows_;
};

}  // namespace meshwright::data
