// SPDX-License-Identifier: Apache-2.0
// How the config of a run differs from the one with which a checkpoint was made.
#pragma once

#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::train {

struct ConfigChange {
  std::string key;          // "optimizer.learning_rate.peak"
  std::string before, now;  // as in TOML; "(none)" where the config has no such key
  bool is_harmless = false;

  bool operator==(const ConfigChange&) const = default;
};

/// Settings that change neither the updates nor what is kept: where, how often and what is
/// reported, saved, traced. `max_step` is one of them unless `is_scheduled`, that is unless
/// schedules follow it.
bool is_harmless(const std::string& key, bool is_scheduled);

/// The keys in which two configs differ, as TOML. Where a table has become one of another `type`,
/// keys that only one of the two has are left out. Nothing if either is empty or is not TOML.
std::vector<ConfigChange> config_changes(const std::string& before,
                                         const std::string& now,
                                         bool is_scheduled);

/// Compares with the config in a checkpoint's metadata.
std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored,
                                        const std::string& now,
                                        bool is_scheduled);

/// One line per change, each beginning with a newline.
std::string text_of(const std::vector<ConfigChange>& changes);

/// Those by which the arrays of the state may have become others.
std::vector<ConfigChange> changes_of_state(const std::vector<ConfigChange>& changes);
/// Those by which the batches of training may have become others.
std::vector<ConfigChange> changes_of_data(const std::vector<ConfigChange>& changes);

/// The begin of a message that refuses a checkpoint: these changes may be the reason. Empty without
/// any.
std::string reason_of(const std::vector<ConfigChange>& changes, std::int64_t step);

/// Prints a warning with those that are not harmless, and a note with the others.
void tell(const std::vector<ConfigChange>& changes, std::int64_t step);

}  // namespace meshwright::train
