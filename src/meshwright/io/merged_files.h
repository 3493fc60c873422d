// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// Returns the files of all these, read-only. If several have the same path, the first one counts.
std::shared_ptr<FileSystem> merged_files(std::vector<std::shared_ptr<FileSystem>> parts);

}  // namespace meshwright::io
