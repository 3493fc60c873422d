// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/agenda_testutil.h"

#include <algorithm>
#include <utility>

#include "meshwright/train/trainer/resolve.h"

namespace meshwright::train {

TestedAgenda quiet_agenda() {
  TestedAgenda out;
  static_cast<LoopConfig&>(out) = default_preset().loop;
  out.log = When();
  return out;
}

TestedAgenda agenda_of(const Preset& preset) {
  TrainConfig resolved;
  resolve(resolved, preset);
  TestedAgenda out;
  static_cast<LoopConfig&>(out) = resolved.loop;
  out.save = preset.save;
  return out;
}

Agenda AgendaRecorder::make_agenda(const TestedAgenda& config) const {
  return {config.loop(), config.save, evaluators};
}

AgendaEnd AgendaRecorder::run(const TestedAgenda& config, const AgendaStart& start) {
  Agenda agenda = make_agenda(config);
  return run(agenda, start);
}

AgendaEnd AgendaRecorder::run(Agenda& agenda, const AgendaStart& start) {
  agenda.begin(start, seconds_);
  while (true) {
    while (const std::optional<Item> item = agenda.next(take_request()))
      act(agenda, *item);
    if (agenda.is_over()) break;
    const Verdict verdict = update(agenda.boundary().step);
    agenda.record_verdict(verdict, seconds_);
  }
  const Boundary& last = agenda.boundary();
  stop_trace(last.step);
  return {last.step, *last.stop, agenda.newest_results()};
}

Verdict AgendaRecorder::update(std::int64_t step) {
  if (hangs_at == step && !requests.empty()) {
    hangs_at.reset();
    requests = {{0, requests.begin()->second}};
    return {Verdict::Kind::interrupted, step};
  }
  if (data_end && step >= *data_end) return {Verdict::Kind::end_of_data, step};
  if (const auto back = goes_back.find(step); back != goes_back.end()) {
    const std::int64_t to = back->second;
    goes_back.erase(back);
    record("went_back", to);
    return {Verdict::Kind::went_back, to};
  }
  seconds_ += seconds_per_update;
  record("update", step + 1);
  return {Verdict::Kind::updated, step + 1};
}

void AgendaRecorder::act(Agenda& agenda, const Item& item) {
  const std::int64_t step = agenda.boundary().step;
  switch (item.kind) {
    case Item::Kind::log:
      return record("log", step);
    case Item::Kind::summarize:
      return record("summarize", step);
    case Item::Kind::start_trace:
      is_tracing_ = true;
      return record("start_trace", step);
    case Item::Kind::stop_trace:
      return stop_trace(step);
    case Item::Kind::call_hooks: {
      if (!records_hooks) return;
      std::string what = "hooks";
      for (const auto& [name, value] : agenda.boundary().results)
        what += str(' ', name);
      return record(what, step);
    }
    case Item::Kind::save:
      record("save", step);
      return agenda.record_saved();
    case Item::Kind::evaluate: {
      record("eval " + item.evaluator, step);
      const auto found = accuracies.find(step);
      agenda.record_results(
          {{item.evaluator + "/accuracy", found == accuracies.end() ? 0 : found->second}});
    }
  }
}

void AgendaRecorder::stop_trace(std::int64_t step) {
  if (std::exchange(is_tracing_, false)) record("stop_trace", step);
}

Request AgendaRecorder::take_request() {
  Request out;
  for (auto at = requests.begin(); at != requests.end() && at->first <= events_.size();) {
    out.stop = out.stop || at->second.stop;
    out.save = out.save || at->second.save;
    at = at->second.stop ? std::next(at) : requests.erase(at);
  }
  return out;
}

std::vector<std::string> only(const std::vector<std::string>& events,
                              const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& event : events) {
    std::string word = event.substr(0, event.find(' '));
    if (std::ranges::find(words, word) != words.end()) out.push_back(event);
  }
  return out;
}

}  // namespace meshwright::train
