// SPDX-License-Identifier: Apache-2.0
// OCDBT, the key-value store of TensorStore, as Orbax's checkpoints use it: a B-tree of keys whose
// nodes and values are packed into few large files.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

inline constexpr const char* kOcdbtManifest = "manifest.ocdbt";

/// True if the folder has the manifest of a database.
bool is_ocdbt(const FileSystem& files, const std::string& folder);

/// Opens the latest version of a database as read-only files: each key is a path, each value a
/// file. Nodes are read at once, values on demand. Values have no checksums. Throws data_loss,
/// naming the file, if the manifest or a node is damaged.
std::shared_ptr<FileSystem> open_ocdbt(const std::shared_ptr<const FileSystem>& files,
                                       const std::string& folder);

}  // namespace meshwright::io
