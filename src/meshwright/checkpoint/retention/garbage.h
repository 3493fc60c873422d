// SPDX-License-Identifier: Apache-2.0
// What `ckpt gc` removes from a run's folder, and what it only tells of.
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
    std::optional<StepEntry> step;  // absent: it was one, and was set aside
  };
  std::vector<Item> items;             // to be removed
  std::vector<Flaw> flaws;             // steps that cannot be read, and stay
  std::vector<std::string> leftovers;  // set aside, not because of damage: nothing removes them
};

/// Steps that neither a rule nor a pin keeps. With `takes_damaged` also those that are damaged,
/// unless they are pinned, and those that were set aside because they were. Unfinished steps are
/// left to the run.
Garbage find_garbage(const Format& format,
                     const Files& files,
                     const std::string& run,
                     const Retention& retention,
                     bool takes_damaged);

void remove(const Format& format, const Files& files, const Garbage::Item& item);

}  // namespace meshwright::checkpoint
