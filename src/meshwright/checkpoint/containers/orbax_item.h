// SPDX-License-Identifier: Apache-2.0
// Internal to containers/: an item of an Orbax checkpoint, which holds one tree of arrays.
#pragma once

#include <string>

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// True if the folder holds the tree of an item, or its arrays.
bool is_orbax_item(const io::FileSystem& files, const std::string& folder);

/// Reads the tree of an item and the metadata of its arrays. Throws data_loss, naming the file, if
/// they are damaged, and not_found if it has neither a tree nor arrays.
StoredTree open_orbax_item(const Files& files, const std::string& folder);

}  // namespace meshwright::checkpoint
