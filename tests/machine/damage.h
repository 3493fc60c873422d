// SPDX-License-Identifier: Apache-2.0
// What others do to the files of a checkpoint.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/io/memory_file_system.h"

namespace meshwright::machine {

/// One file below `folder`, chosen by `which`: a bit flipped, cut, lengthened, removed, a link in
/// its place, by `how`. False, and nothing done, where there is no such file.
bool damage_file(io::MemoryFileSystem& disk,
                 const std::string& folder,
                 std::uint32_t which,
                 std::uint32_t how);

/// A folder is emptied, or a file or link takes its place.
void damage_folder(io::MemoryFileSystem& disk, const std::string& folder, std::uint32_t how);

/// An empty folder, a file, a link or a folder with a file in it, of this name.
void put_something(io::MemoryFileSystem& disk, const std::string& name, std::uint32_t what);

/// A folder with all that is in it.
void copy_folder(io::MemoryFileSystem& disk, const std::string& from, const std::string& to);

}  // namespace meshwright::machine
