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
/// Does nothing but update.
TestedAgenda quiet_agenda();
TestedAgenda agenda_of(const Preset& preset);

struct AgendaEnd {
  std::int64_t step = 0;
  StopReason reason = StopReason::max_step;
  Results results;
};

/// Runs an agenda without doing its work, and writes down what would have been done: "update 1",
/// "log 1", "summarize 1", "eval held_out 2", "save 2", "start_trace 3", "stop_trace 6".
class AgendaRecorder {
 public:
  std::vector<AgendaEvaluator> evaluators = {{"held_out", {}}};
  /// The result "held_out/accuracy" by step.
  std::map<std::int64_t, double> accuracies;
  /// Asked for from the moment that this many events have been written down.
  std::map<std::size_t, Request> requests;
  /// The data ends before this update.
  std::optional<std::int64_t> data_end;
  /// The update after this step waits until there is a request.
  std::optional<std::int64_t> hangs_at;
  /// Instead of the update after the first step, the state of the second one is restored, once.
  std::map<std::int64_t, std::int64_t> goes_back;
  double seconds_per_update = 1;

  /// Until it is over. The data ends, updates and requests come as said above.
  AgendaEnd run(const TestedAgenda& config, const AgendaStart& start);
  AgendaEnd run(Agenda& agenda, const AgendaStart& start);
  Agenda make_agenda(const TestedAgenda& config) const;

  const std::vector<std::string>& events() const { return events_; }

 private:
  Verdict update(std::int64_t step);
  void act(Agenda& agenda, const Item& item);
  void record(std::string_view what, std::int64_t step) { events_.push_back(str(what, ' ', step)); }
  Request take_request();

  std::vector<std::string> events_;
  double seconds_ = 0;
};

/// Only the events that begin with one of these words.
std::vector<std::string> only(const std::vector<std::string>& events,
                              const std::vector<std::string>& words);

}  // namespace meshwright::train
