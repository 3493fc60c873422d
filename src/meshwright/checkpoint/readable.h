// SPDX-License-Identifier: Apache-2.0
// Which of the steps there are can be read, as far as that shows without reading the elements.
// Retention, `ckpt` and the choice of the step to restore all ask here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format.h"

namespace meshwright::checkpoint {

/// What there is, as Format::open. Throws data_loss unless the step is readable: a folder whose
/// marker and manifest parse, of this step, in which every file that is listed is a plain file of
/// its size. Throws not_found if it was never finished or has just been removed; unavailable and
/// the like as the files do.
Stored inspect(const Format& format, const Files& files, const StepEntry& entry);

/// Why a step cannot be read.
struct Flaw {
  StepEntry step;
  std::string what;
  /// Otherwise it is unfinished, not accessible or of a newer version.
  bool is_damage = false;
};

/// Nothing if it is readable. Throws what says nothing about the step, as unavailable.
std::optional<Flaw> find_flaw(const Format& format, const Files& files, const StepEntry& entry);

/// The last of these, in ascending order, that is readable.
std::optional<StepEntry> newest_readable(const Format& format,
                                         const Files& files,
                                         const std::vector<StepEntry>& steps);

/// A flaw for what inspect() threw, or what reading the step did. Throws it again if it says
/// nothing about the step.
Flaw flaw_of(const StepEntry& entry, const Error& error);

}  // namespace meshwright::checkpoint
