// SPDX-License-Identifier: Apache-2.0
// Internal to ocdbt/: the manifest of a database, and the tables of files in it and in nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::io::ocdbt {

/// A file of the database. Files that it refers to are relative to `base`.
struct DataFile {
  std::string base;
  std::string relative;

  std::string path() const { return base + relative; }
  bool operator==(const DataFile&) const = default;
};

/// Where a node lies.
struct NodePlace {
  DataFile file;
  std::uint64_t offset = 0;
  std::uint64_t num_bytes = 0;
  std::uint64_t height = 0;  // 0 for a leaf
};

/// Consumes a table of files, whose paths are relative to `base`.
std::vector<DataFile> take_files(std::string_view& bytes, const std::string& base);
/// Consumes a number of files, which must be an index into the table.
const DataFile& take_file(std::string_view& bytes, const std::vector<DataFile>& files);
/// Consumes columns of `count` varints. Throws data_loss if there cannot be so many.
std::vector<std::uint64_t> take_column(std::string_view& bytes, std::uint64_t count);
/// Throws data_loss if bytes are left.
void check_is_empty(std::string_view bytes);

struct Manifest {
  std::uint64_t max_node_bytes = 0;  // of a decoded node
  /// True if the versions are in files of their own, manifest.0123456789abcdef.
  bool is_numbered = false;
  /// The root of the latest version; nullopt if it has no keys.
  std::optional<NodePlace> root;
};
/// Parses a manifest. Throws data_loss, naming `name`, if it is damaged.
Manifest parse_manifest(std::string_view bytes, const std::string& name);

/// The bytes of a manifest with one version of one node in one file.
struct NewManifest {
  std::string file;  // path of the file with the node
  std::uint64_t offset = 0, num_bytes = 0;
  std::uint64_t num_keys = 0;
  std::uint64_t num_value_bytes = 0;  // outside of the node
  std::uint64_t nanoseconds = 0;      // since 1970
  std::string uuid;                   // 16 bytes
};
std::string manifest_bytes(const NewManifest& manifest);

/// Longer values lie outside of nodes, in databases that this program writes.
inline constexpr std::uint64_t kMaxInlineBytes = 1024;

}  // namespace meshwright::io::ocdbt
