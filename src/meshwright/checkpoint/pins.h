// SPDX-License-Identifier: Apache-2.0
// Checkpoints that no rule may remove. A pin is an empty file pinned-NAME beside the step's folder
// NAME, so no reader of any format finds something new inside.
#pragma once

#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

bool is_pinned(const io::FileSystem& files, const std::string& folder);
/// Durable when they return; nothing happens if it is pinned, or is not. They throw as files do.
void pin(io::FileSystem& files, const std::string& folder);
void unpin(io::FileSystem& files, const std::string& folder);

}  // namespace meshwright::checkpoint
