// SPDX-License-Identifier: Apache-2.0
// Groups of arrays, and the attributes of arrays and groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/json_value.h"
#include "meshwright/io/file_system.h"

namespace meshwright::io::zarr {

struct Group {
  JsonValue attributes;  // an object
  /// Direct children, ordered by name.
  std::vector<std::string> arrays, groups;
};

/// Reads the version 2 or 3 group in this folder, without opening its arrays; nullopt if there is
/// none. Throws data_loss, naming the file, if the metadata is invalid.
std::optional<Group> find_group(const FileSystem& files, const std::string& folder);

/// Returns the attributes of the array or group in this folder as an object, which may be empty.
/// Throws the errors of find_group().
JsonValue read_attributes(const FileSystem& files, const std::string& folder);

/// Write a version 2 group, or the attributes of a version 2 group or array. Both are durable
/// except for the name of the folder itself.
void write_group(FileSystem& files, const std::string& folder);
void write_attributes(FileSystem& files, const std::string& folder, const JsonValue& attributes);

}  // namespace meshwright::io::zarr
