// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop_testutil.h"

#include <algorithm>

namespace meshwright::train {

TestedLoop quiet_loop() {
  TestedLoop out;
  static_cast<LoopConfig&>(out) = default_preset().loop;
  out.log = When();
  return out;
}

TestedLoop loop_of(const Preset& preset) {
  TrainConfig resolved;
  resolve(resolved, preset);
  TestedLoop out;
  static_cast<LoopConfig&>(out) = resolved.loop;
  out.save = preset.save;
  return out;
}

Loop LoopRecorder::make_loop(const TestedLoop& config) {
  return Loop(config, config.save, evaluators, hooks());
}

LoopEnd LoopRecorder::run(const TestedLoop& config, const LoopStart& start) {
  return make_loop(config).run(start);
}

LoopHooks LoopRecorder::hooks() {
  auto record = [this](const char* what) {
    return [this, what](const Boundary& b) { events_.push_back(str(what, ' ', b.step)); };
  };
  LoopHooks hooks;
  hooks.update = [this](std::int64_t step) -> std::optional<std::int64_t> {
    if (hangs_at == step && !requests.empty()) {
      hangs_at.reset();
      requests = {{0, requests.begin()->second}};
      return step;
    }
    if (data_end && step >= *data_end) return std::nullopt;
    seconds_ += seconds_per_update;
    events_.push_back(str("update ", step + 1));
    return step + 1;
  };
  hooks.log = record("log");
  hooks.summarize = record("summarize");
  hooks.save = [record_save = record("save")](const Boundary& b) {
    record_save(b);
    return true;
  };
  hooks.start_trace = record("start_trace");
  hooks.stop_trace = record("stop_trace");
  hooks.evaluate = [this](const Boundary& b, const std::string& name, Results& results) {
    events_.push_back(str("eval ", name, ' ', b.step));
    auto found = accuracies.find(b.step);
    results[name + "/accuracy"] = found == accuracies.end() ? 0 : found->second;
  };
  hooks.request = [this] { return take_request(); };
  hooks.seconds = [this] { return seconds_; };
  return hooks;
}

Request LoopRecorder::take_request() {
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
