// SPDX-License-Identifier: Apache-2.0
// Differences between the config of a run and the one stored in a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::train {

struct ConfigChange {
  std::string key;          // "optimizer.learning_rate.peak"
  std::string before, now;  // as TOML; "(none)" if the config lacks the key
  bool is_harmless = false;

  bool operator==(const ConfigChange&) const = default;
};

/// True for settings that affect neither the updates nor the state: what is reported, saved or
/// traced, where, and how often. `max_step` is harmless unless `is_scheduled`, that is, unless
/// schedules depend on it.
bool is_harmless(const std::string& key, bool is_scheduled);

/// Returns the keys in which two configs, given as TOML, differ. If a table has changed its `type`,
/// keys that only one of the two has are omitted. Empty if either config is empty or invalid TOML.
std::vector<ConfigChange> config_changes(const std::string& before,
                                         const std::string& now,
                                         bool is_scheduled);

/// Compares `now` with the config in a checkpoint's metadata.
std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored,
                                        const std::string& now,
                                        bool is_scheduled);

/// Returns one line per change, each beginning with a newline.
std::string text_of(const std::vector<ConfigChange>& changes);

/// Returns the changes that may affect the arrays of the state.
std::vector<ConfigChange> changes_of_state(const std::vector<ConfigChange>& changes);
/// Returns the changes that may affect the training batches.
std::vector<ConfigChange> changes_of_data(const std::vector<ConfigChange>& changes);

/// Returns the start of a message that refuses a checkpoint, with these changes as a possible
/// reason. Empty if there are no changes.
std::string reason_of(const std::vector<ConfigChange>& changes, std::int64_t step);

/// Logs a warning with the changes that matter, and an info message with the harmless ones.
void tell(const std::vector<ConfigChange>& changes, std::int64_t step);

}  // namespace meshwright::train
