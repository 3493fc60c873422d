// SPDX-License-Identifier: Apache-2.0
// Decides whether a checkpoint is readable, without reading array elements. Retention, `ckpt` and
// restoring share this definition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Opens a checkpoint as Format::open() does. Throws data_loss unless it is readable: a folder of
/// this step whose marker and manifest parse and in which every listed file is a plain file of its
/// recorded size. Throws not_found if it was never finished or has just been removed, and the
/// errors of the file system, such as unavailable.
Stored inspect(const Format& format, const Files& files, const CheckpointEntry& entry);

/// Why a checkpoint is unreadable.
struct Flaw {
  CheckpointEntry step;
  std::string what;
  /// False if it is unfinished, not accessible or of a newer version.
  bool is_damage = false;
};

/// Returns why a checkpoint is unreadable; nullopt if it is readable. Throws errors that say
/// nothing about the checkpoint, such as unavailable.
std::optional<Flaw> find_flaw(const Format& format,
                              const Files& files,
                              const CheckpointEntry& entry);

/// Returns the newest readable checkpoint of a list in ascending order.
std::optional<CheckpointEntry> newest_readable(const Format& format,
                                               const Files& files,
                                               const std::vector<CheckpointEntry>& steps);

/// Converts an error of inspect(), or of reading, to a flaw; call it while the error is handled.
/// Rethrows an error that says nothing about the checkpoint.
Flaw flaw_of(const CheckpointEntry& entry, const Error& error);

}  // namespace meshwright::checkpoint
