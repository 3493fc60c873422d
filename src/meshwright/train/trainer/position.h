// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/train/report/time_account.h"

namespace meshwright::train {

/// Where a run stands beside the arrays of its state: what a checkpoint says of it, or the
/// beginning.
struct Position {
  std::int64_t step = 0;
  /// The number of a batch minus that of the update it is used for.
  std::int64_t data_offset = 0;
  /// Updates left out so far because they were not finite.
  std::int64_t num_skipped = 0;
  /// The checkpoint it was restored from (run, step, digest); empty if the run began here.
  checkpoint::Meta lineage = {};
  /// Time spent until that checkpoint was saved.
  TimeSpent times = {};
  /// State of the agenda; absent where the run began here.
  std::optional<checkpoint::Meta> agenda = {};

  bool is_restored() const { return agenda.has_value(); }
};

}  // namespace meshwright::train
