// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// Writes a checkpoint as Orbax's StandardCheckpointer does: an OCDBT database in a new folder.
/// Throws already_exists if something is at the path.
std::unique_ptr<CheckpointWriter> orbax_writer(const Files& files,
                                               const std::string& path,
                                               CheckpointPlan plan,
                                               const WriteOptions& options);

}  // namespace meshwright::checkpoint
