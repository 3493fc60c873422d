// SPDX-License-Identifier: Apache-2.0
// Decides whether a checkpoint is readable, without reading array elements. Retention, `ckpt` and
// restoring share this definition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Opens a checkpoint like Container::open(). Throws data_loss unless it is readable: a folder of
/// this step whose marker and manifest parse and in which every listed file is a plain file of its
/// recorded size. Throws not_found if it was never finished or has just been removed, and the
/// errors of the file system, such as unavailable.
Stored inspect(const Container& container, const Files& files, const CheckpointEntry& entry);

/// Why a checkpoint is unreadable.
struct Flaw {
  CheckpointEntry step;
  std::string what;
  /// False if the checkpoint is unfinished, not accessible or from a newer version.
  bool is_damage = false;
};

/// Returns why a checkpoint is unreadable; nullopt if it is readable. Throws errors that say
/// nothing about the checkpoint, such as unavailable.
std::optional<Flaw> find_flaw(const Container& container,
                              const Files& files,
                              const CheckpointEntry& entry);

/// Returns the newest readable checkpoint of a list in ascending order.
std::optional<CheckpointEntry> newest_readable(const Container& container,
                                               const Files& files,
                                               const std::vector<CheckpointEntry>& steps);

/// Converts an error thrown by inspect() or by reading to a flaw. Must be called from the catch
/// block that handles the error. Rethrows an error that says nothing about the checkpoint.
Flaw flaw_of(const CheckpointEntry& entry, const Error& error);

}  // namespace meshwright::checkpoint
