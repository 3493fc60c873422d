// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Cleans up after an interruption: completes replacements of checkpoints and removes unfinished
/// ones, with a log line. Removes only entries that this program certainly wrote and that no
/// manifest attributes to another run. Must be called by the writing process before it writes.
void recover(const Format& format,
             const Files& files,
             const std::string& run,
             const std::optional<std::string>& run_id = {});

}  // namespace meshwright::checkpoint
