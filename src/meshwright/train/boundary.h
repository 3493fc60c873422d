// SPDX-License-Identifier: Apache-2.0
// The places between two updates, where everything but training happens.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace meshwright::train {

/// What the evaluators that ran at one boundary found, as "evaluator/metric".
using Results = std::map<std::string, double, std::less<>>;

/// Why a loop ends.
enum class StopReason {
  max_step,
  end_of_data,
  no_improvement,  // early stopping
  requested,       // by a signal: save and leave
};

/// The moment after `step` updates, counted over all runs of the program.
struct Boundary {
  std::int64_t step = 0;
  std::int64_t start = 0;  // the step at which this run of the program began
  bool is_start = false;   // nothing was trained yet in this run
  bool is_fresh = false;   // at the start: no checkpoint was restored
  std::optional<std::int64_t> max_step = {};
  double seconds = 0;                   // of this run so far
  std::optional<StopReason> stop = {};  // no update follows
  bool save_requested = false;          // by a signal
  Results results = {};                 // of the evaluators that ran here so far

  bool is_finished() const { return max_step && step >= *max_step; }
  /// The work is done here: nothing will be trained after it, in no other run either.
  bool is_last() const {
    return is_finished() || stop == StopReason::end_of_data || stop == StopReason::no_improvement;
  }
};

}  // namespace meshwright::train
