// SPDX-License-Identifier: Apache-2.0
// Selects the entries of a run's folder that `ckpt gc` removes, and those that it only reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/retention/retention.h"
#include "meshwright/checkpoint/run/readable.h"

namespace meshwright::checkpoint {

struct Garbage {
  struct Item {
    std::string path;
    std::optional<CheckpointEntry> step;  // absent for a file, and if the checkpoint was set aside
  };
  std::vector<Item> items;             // to be removed
  std::vector<Flaw> flaws;             // unreadable checkpoints, which are kept
  std::vector<std::string> leftovers;  // set aside for reasons other than damage; never removed
};

/// Finds checkpoints kept by neither a rule nor a pin. With `takes_damaged`, also finds unpinned
/// damaged checkpoints and those set aside as damaged. Leaves unfinished checkpoints to the run.
Garbage find_garbage(const Format& format,
                     const Files& files,
                     const std::string& run,
                     const Retention& retention,
                     bool takes_damaged);

/// Finds the iterator files of other programs in all checkpoints that have them but the newest
/// `keep` and pinned ones.
std::vector<Garbage::Item> find_old_iterators(const Format& format,
                                              const Files& files,
                                              const std::string& run,
                                              std::int64_t keep);

void remove(const Format& format, const Files& files, const Garbage::Item& item);

}  // namespace meshwright::checkpoint
