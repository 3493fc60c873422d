// SPDX-License-Identifier: Apache-2.0
// Locates the checkpoints in a run's folder.
#pragma once

#include <string>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

inline constexpr const char* kCheckpoints = "checkpoints";

/// Throws invalid_argument, with a remedy, if a link or a file is in the place of the run's
/// checkpoints folder. The folder may be absent.
void check_checkpoints_folder(const io::FileSystem& run);

/// Returns the files of the run's checkpoints, for a Manager. Throws as check_checkpoints_folder()
/// does.
Files files_of_checkpoints(const Files& run);

/// Returns them for a run folder by name, for readers. The folder may be absent.
Files files_of_checkpoints(const std::string& run_folder);

}  // namespace meshwright::checkpoint
