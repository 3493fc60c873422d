// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/loop_config.h"

#include <algorithm>

namespace meshwright::train {

config::Choices<Action> config_choices(Action) {
  using enum Action;
  return {{"stop_trace", stop_trace},  {"log", log}, {"eval", eval}, {"save", save}, {"stop", stop},
          {"start_trace", start_trace}};
}

std::string action_name(Action action) {
  for (const auto& [name, known] : config_choices(action)) {
    if (known == action) return name;
  }
  return "?";
}

bool contains(const Processes& processes, std::int64_t process) {
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&processes);
  return numbers == nullptr || std::ranges::find(*numbers, process) != numbers->end();
}

}  // namespace meshwright::train
