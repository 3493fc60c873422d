// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/str.h"
#include "meshwright/train/loop/agenda.h"
#include "meshwright/train/loop/preset.h"

namespace meshwright::train {

struct TestedAgenda : LoopConfig {
  When save = {};
  const LoopConfig& loop() const { return *this; }
};
/// Returns the config of an agenda whose only work is updates.
TestedAgenda quiet_agenda();
TestedAgenda agenda_of(const Preset& preset);

struct AgendaEnd {
  std::int64_t step = 0;
  StopReason reason = StopReason::max_step;
  Results results;
};

/// Runs an agenda without doing its work, and records the work as events: "update 1", "log 1",
/// "summarize 1", "eval held_out 2", "save 2", "start_trace 3", "stop_trace 6".
class AgendaRecorder {
 public:
  std::vector<AgendaEvaluator> evaluators = {{"held_out", {}}};
  /// Values of "held_out/accuracy" by step.
  std::map<std::int64_t, double> accuracies;
  /// Requests, keyed by the number of events recorded before each.
  std::map<std::size_t, Request> requests;
  /// The data ends after this many updates.
  std::optional<std::int64_t> data_end;
  /// The update after this step waits until there is a request.
  std::optional<std::int64_t> hangs_at;
  /// Maps a step to an earlier one. The first time the run reaches the key, it goes back to the
  /// mapped step instead of attempting the next update.
  std::map<std::int64_t, std::int64_t> goes_back;
  double seconds_per_update = 1;
  /// If true, also records calls of hooks after evaluations, with the names of the results they
  /// see: "hooks held_out/accuracy 2".
  bool records_hooks = false;

  /// Runs until the end, with data, updates and requests as set above.
  AgendaEnd run(const TestedAgenda& config, const AgendaStart& start);
  AgendaEnd run(Agenda& agenda, const AgendaStart& start);
  Agenda make_agenda(const TestedAgenda& config) const;

  const std::vector<std::string>& events() const { return events_; }

 private:
  Verdict update(std::int64_t step);
  void act(Agenda& agenda, const Item& item);
  void record(std::string_view what, std::int64_t step) { events_.push_back(str(what, ' ', step)); }
  /// Records the end of the trace if one is running. Otherwise does nothing, like
  /// Session::stop_trace().
  void stop_trace(std::int64_t step);
  Request take_request();

  std::vector<std::string> events_;
  double seconds_ = 0;
  bool is_tracing_ = false;
};

/// Returns the events that begin with one of these words.
std::vector<std::string> only(const std::vector<std::string>& events,
                              const std::vector<std::string>& words);

}  // namespace meshwright::train
