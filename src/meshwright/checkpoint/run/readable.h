// SPDX-License-Identifier: Apache-2.0
// Decides whether a checkpoint can be read, without reading array elements. Retention, `ckpt` and
// restoring all use this one definition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// What there is, as Format::open. Throws data_loss unless the step is readable: a folder whose
/// marker and manifest parse, of this step, in which every file that is listed is a plain file of
/// its size. Throws not_found if it was never finished or has just been removed; unavailable and
/// the like as the files do.
Stored inspect(const Format& format, const Files& files, const StepEntry& entry);

/// Why a checkpoint cannot be read.
struct Flaw {
  StepEntry step;
  std::string what;
  /// False: it is unfinished, not accessible or of a newer version.
  bool is_damage = false;
};

/// Returns nothing if it is readable. Throws errors that say nothing about the checkpoint, such as
/// unavailable.
std::optional<Flaw> find_flaw(const Format& format, const Files& files, const StepEntry& entry);

/// Returns the last of these checkpoints, which are in ascending order, that can be read.
std::optional<StepEntry> newest_readable(const Format& format,
                                         const Files& files,
                                         const std::vector<StepEntry>& steps);

/// Turns an error of inspect(), or of reading, into a flaw. Rethrows an error that says nothing
/// about the checkpoint.
Flaw flaw_of(const StepEntry& entry, const Error& error);

}  // namespace meshwright::checkpoint
