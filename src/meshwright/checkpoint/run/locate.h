// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Returns the format of the newest readable checkpoint in a run's folder, or of any checkpoint if
/// none is readable; nullptr if there are none.
const Format* find_format_of_run(const Files& files, const std::string& run);

/// Location of a checkpoint given as a path: a run's folder, a checkpoint in it, or a container
/// that belongs to no run.
struct Location {
  Files files;
  const Container* container = nullptr;
  const Format* format = nullptr;  // the container as the format of a run; null if it is none
  std::string run;
  std::vector<CheckpointEntry> steps;    // all checkpoints of the run
  std::optional<CheckpointEntry> named;  // absent if the path is a folder of checkpoints
  /// If not empty, only the arrays below this path count (open_at()).
  std::string below = {};

  /// Returns the named checkpoint, or the newest readable one, with a warning if newer ones are
  /// unreadable. Throws not_found if no checkpoint is readable.
  const CheckpointEntry& step() const;
};
/// Locates a checkpoint and detects its container. Like Big Vision, takes "PATH:a/b" for a part of
/// a checkpoint, unless a file has that name. Throws not_found if there is none, and unimplemented
/// for pickles.
Location locate(const std::string& path);

/// Opens a checkpoint of this location. If only a part of it is wanted, returns the arrays below
/// `below`, or below it in `params`, where Big Vision keeps parameters; the names start there.
/// Throws not_found if there are none.
Stored open_at(const Location& location, const CheckpointEntry& step);

}  // namespace meshwright::checkpoint
