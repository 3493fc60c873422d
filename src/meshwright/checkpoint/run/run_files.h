// SPDX-License-Identifier: Apache-2.0
// Where the checkpoints of a run are in its folder.
#pragma once

#include <string>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

inline constexpr const char* kCheckpoints = "checkpoints";

/// Throws invalid_argument, with a remedy, if a link or a file is where the checkpoints of this run
/// should be. The folder may be absent.
void check_checkpoints_folder(const io::FileSystem& run);

/// The files of its checkpoints, for a Manager. Throws like check_checkpoints_folder().
Files files_of_checkpoints(const Files& run);

/// The same of the run in this folder, for those who only read. It may be absent.
Files files_of_checkpoints(const std::string& run_folder);

}  // namespace meshwright::checkpoint
