// SPDX-License-Identifier: Apache-2.0
// Names in a run's folder, and the files of its checkpoints.
#pragma once

#include <string>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

inline constexpr const char* kCheckpoints = "checkpoints";
/// The resolved config. Its presence marks a folder as that of a run.
inline constexpr const char* kRunConfig = "config.toml";

/// Throws invalid_argument, with a remedy, if the run's checkpoints folder is a link or a file. The
/// folder may be absent.
void check_checkpoints_folder(const io::FileSystem& run);

/// Returns the files of the run's checkpoints, for a Manager. Throws the errors of
/// check_checkpoints_folder().
Files files_of_checkpoints(const Files& run);

/// Like the above, for readers, with the run's folder given by name. The folder may be absent.
Files files_of_checkpoints(const std::string& run_folder);

}  // namespace meshwright::checkpoint
