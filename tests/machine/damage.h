// SPDX-License-Identifier: Apache-2.0
// Damage to the files of a checkpoint by others.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/io/memory_file_system.h"

namespace meshwright::machine {

/// Damages one file below `folder`, chosen by `which`. `how` selects the damage: a bit flipped,
/// truncated, extended, removed, replaced by a link. Returns false, without changes, if there is no
/// such file.
bool damage_file(io::MemoryFileSystem& disk,
                 const std::string& folder,
                 std::uint32_t which,
                 std::uint32_t how);

/// Empties a folder, or replaces it by a file or link.
void damage_folder(io::MemoryFileSystem& disk, const std::string& folder, std::uint32_t how);

/// Creates an entry of this name: an empty folder, a file, a link or a folder with a file.
void put_something(io::MemoryFileSystem& disk, const std::string& name, std::uint32_t what);

/// Copies a folder with all its contents.
void copy_folder(io::MemoryFileSystem& disk, const std::string& from, const std::string& to);

}  // namespace meshwright::machine
