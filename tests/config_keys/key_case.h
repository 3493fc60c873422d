// SPDX-License-Identifier: Apache-2.0
// Observes each key of a config in tests. A case changes the key's value in a small config and
// names an observer, whose result must change too.
#pragma once

#include <string>
#include <vector>

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// Returns some effect of a config as text.
using Observer = std::string (*)(const cli::RunConfig&);

struct KeyCase {
  std::string key;                     // name within the section
  std::string value;                   // TOML, different from the value in the small config
  std::vector<std::string> with = {};  // overrides for the config before and after the change
  Observer observe = nullptr;          // defaults to the observer of the section
  /// The test that observes the key, "Suite.Name" or "file.py: test_name", if it is not this case.
  std::string observed_by = {};
};

/// Returns the case of a key that another test observes.
inline KeyCase observed_by(std::string key, std::string test) {
  return {.key = std::move(key), .observed_by = std::move(test)};
}

/// The cases of one section of the reference (config/sections.h).
struct SectionCases {
  std::string id;
  std::string base;  // TOML of the small config
  std::vector<std::string> with = {};
  Observer observe = nullptr;
  std::vector<KeyCase> keys = {};
};

using Cases = std::vector<SectionCases>;

// Cases by area; cases() returns all of them.
Cases run_cases();
Cases loop_cases();
Cases policy_cases();
Cases checkpoint_cases();
Cases evaluator_cases();
Cases init_state_cases();
Cases mesh_cases();
Cases task_cases();
Cases data_cases();
Cases optimizer_cases();
Cases adafactor_cases();
Cases big_vision_cases();
Cases schedule_cases();
Cases learner_cases();
Cases initial_values_cases();
Cases cases();

}  // namespace meshwright::config_keys
