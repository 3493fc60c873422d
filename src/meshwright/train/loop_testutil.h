// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meshwright/train/loop.h"
#include "meshwright/train/presets.h"

namespace meshwright::train {

struct TestedLoop : LoopConfig {
  When save = {};
};
/// Does nothing but update.
TestedLoop quiet_loop();
TestedLoop loop_of(const Preset& preset);

/// Runs a loop whose hooks do nothing but write down what happened: "update 1", "log 1",
/// "summarize 1", "eval held_out 2", "save 2", "start_trace 3", "stop_trace 6".
class LoopRecorder {
 public:
  std::vector<LoopEvaluator> evaluators = {{"held_out", {}}};
  /// The result "held_out/accuracy" by step.
  std::map<std::int64_t, double> accuracies;
  /// Asked for from the moment that this many events have been written down.
  std::map<std::size_t, Request> requests;
  /// The data ends before this update.
  std::optional<std::int64_t> data_end;
  /// The update after this step waits until there is a request.
  std::optional<std::int64_t> hangs_at;
  double seconds_per_update = 1;

  LoopEnd run(const TestedLoop& config, const LoopStart& start);
  Loop make_loop(const TestedLoop& config);

  const std::vector<std::string>& events() const { return events_; }

 private:
  LoopHooks hooks();
  Request take_request();

  std::vector<std::string> events_;
  double seconds_ = 0;
};

/// Only the events that begin with one of these words.
std::vector<std::string> only(const std::vector<std::string>& events,
                              const std::vector<std::string>& words);

}  // namespace meshwright::train
