// SPDX-License-Identifier: Apache-2.0
// Boundaries: the points between updates, where everything but training happens.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace meshwright::train {

/// Results of the evaluators that ran at one boundary, keyed by "evaluator/metric".
using Results = std::map<std::string, double, std::less<>>;

/// Why a run ends.
enum class StopReason {
  max_step,
  end_of_data,
  no_improvement,  // by early stopping
  requested,       // by a signal or a hook: save and exit
};

/// The point after `step` updates, counted across restarts.
struct Boundary {
  std::int64_t step = 0;
  std::int64_t start = 0;  // the step at which this process began
  bool is_start = false;   // true if this process has not trained yet
  bool is_fresh = false;   // true at the start if no checkpoint was restored
  std::optional<std::int64_t> max_step = {};
  double seconds = 0;  // from the start of this process's run to this boundary
  /// Set if no update follows: to max_step or end_of_data when the boundary opens, to requested
  /// when the request arrives, and to no_improvement after the evaluations.
  std::optional<StopReason> stop = {};
  bool save_requested = false;  // by a signal or a hook; set when the save begins
  /// Results of the evaluators that have run at this boundary: complete for hooks that run after
  /// the evaluations, and empty for hooks that run before the actions.
  Results results = {};

  bool is_finished() const { return max_step && step >= *max_step; }
  /// True if training is complete: no update follows, in this process or a later one.
  bool is_last() const {
    return is_finished() || stop == StopReason::end_of_data || stop == StopReason::no_improvement;
  }
};

}  // namespace meshwright::train
