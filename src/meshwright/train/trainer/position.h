// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/train/report/time_account.h"

namespace meshwright::train {

/// Position of a run, apart from the arrays of its state: restored from a checkpoint, or the start.
struct Position {
  std::int64_t step = 0;
  /// Number of a batch, not counting skipped ones, minus the number of its update.
  std::int64_t data_offset = 0;
  /// Number of updates skipped so far because of non-finite values.
  std::int64_t num_skipped = 0;
  /// The checkpoint it was restored from (run, step, digest); empty for a new run.
  checkpoint::Meta lineage = {};
  /// Time spent until that checkpoint was saved.
  TimeSpent times = {};
  /// State of the agenda; absent for a new run.
  std::optional<checkpoint::Meta> agenda = {};

  bool is_restored() const { return agenda.has_value(); }
};

}  // namespace meshwright::train
