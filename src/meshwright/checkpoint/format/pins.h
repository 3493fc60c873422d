// SPDX-License-Identifier: Apache-2.0
// Pins protect checkpoints from retention. A pin is an empty file pinned-NAME next to the
// checkpoint's folder NAME, so that the folder itself is unchanged. T5X's pin, a file PINNED in the
// folder, counts too.
#pragma once

#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

bool is_pinned(const io::FileSystem& files, const std::string& folder);
/// Pin or unpin a checkpoint durably; no effect if it is already pinned or unpinned. unpin() also
/// removes T5X's pin. Both throw the errors of the file system.
void pin(io::FileSystem& files, const std::string& folder);
void unpin(io::FileSystem& files, const std::string& folder);

}  // namespace meshwright::checkpoint
