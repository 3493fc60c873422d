// SPDX-License-Identifier: Apache-2.0
// Folders of arrays, and what is said of arrays and groups beside their elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/json_value.h"
#include "meshwright/io/file_system.h"

namespace meshwright::io::zarr {

struct Group {
  JsonValue attributes;  // an object
  /// What is directly in it, by name.
  std::vector<std::string> arrays, groups;
};

/// The group of version 2 or 3 in this folder; nothing if there is none. Arrays are not opened.
/// Throws data_loss, naming the file, for metadata that is none.
std::optional<Group> find_group(const FileSystem& files, const std::string& folder);

/// What is said of the array or group in this folder: an object, empty where nothing is said.
/// Throws as find_group does.
JsonValue read_attributes(const FileSystem& files, const std::string& folder);

/// Makes a group of version 2, and says something of it or of an array of version 2. Both are
/// durable, but for the name of the folder.
void write_group(FileSystem& files, const std::string& folder);
void write_attributes(FileSystem& files, const std::string& folder, const JsonValue& attributes);

}  // namespace meshwright::io::zarr
