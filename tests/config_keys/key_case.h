// SPDX-License-Identifier: Apache-2.0
// How tests observe each key of a config. A case changes the key's value in a small config and
// names an observer; what the observer returns must change too.
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
  std::string key;                     // its name within the section
  std::string value;                   // in TOML, different from the one in the small config
  std::vector<std::string> with = {};  // overrides for the config before and after the change
  Observer observe = nullptr;          // absent: the section's
  /// The test that observes the key, "Suite.Name" or "file.py: test_name", if it is not this case.
  std::string observed_by = {};
};

/// For a key that another test observes.
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

// One function per area; cases() has all of them.
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
