// SPDX-License-Identifier: Apache-2.0
// Trees that flax stored with MessagePack.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/io/file_system.h"
#include "meshwright/io/msgpack/msgpack.h"

namespace meshwright::checkpoint {

/// Calls f(path, value) for each number, text and array of a tree. The members of a list are called
/// 0, 1, ... Adds everything but numbers and arrays to the structure. Also calls f, instead of
/// visiting the members, for a map that `is_leaf` takes for the description of an array.
void for_each_flax_leaf(
    const io::Msgpack& tree,
    Structure& structure,
    const std::function<void(const std::string& path, const io::Msgpack& value)>& f,
    bool (*is_leaf)(const io::Msgpack& map) = nullptr);

/// Returns an array or a number of a tree in this file; nullopt for a text and for nothing.
std::optional<StoredArray> find_flax_array(const io::Msgpack& value,
                                           const std::shared_ptr<io::FileSystem>& files,
                                           const std::string& file);

}  // namespace meshwright::checkpoint
