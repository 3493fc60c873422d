// SPDX-License-Identifier: Apache-2.0
// The manifest: Meshwright's addition to a checkpoint in any format. It has a checksum of every
// file, the paths of the arrays in the run's own tree, and small values. Other programs ignore the
// file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/checkpoint/contents/structure.h"
#include "meshwright/io/checksums.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::checkpoint {

/// Name in the folder of a checkpoint.
inline constexpr const char* kManifestFile = "meshwright.json";

struct ManifestArray {
  std::string folder;
  ArrayType type;
};

struct Manifest {
  std::string format;  // "native"
  std::int64_t step = 0;
  std::string run = {};                         // id of the run; empty in older manifests
  std::map<std::string, ManifestArray> arrays;  // by path
  Meta meta;
  Structure structure;    // of a converted checkpoint
  io::FileRecords files;  // all files except the manifest
  /// Checksum of the fields above and hence of all files; set by parse_manifest().
  std::string digest = {};
};

/// Compares ids of runs. An empty id, as in older manifests, matches any run.
inline bool may_be_same_run(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() || a == b;
}

/// Limits the number of components in the paths of a file, since the resulting trees take many
/// times as much memory as the file.
class StoredPaths {
 public:
  /// Throws data_loss if a path has more than kMaxPathBytes, more than kMaxTreeDepth components or
  /// an empty component, or if all paths together have more than 2^18 components.
  void add(std::string_view path);

 private:
  std::size_t num_names_ = 0;
};

/// Throws data_loss or invalid_argument for sizes that no array can have.
void check_stored_type(const ArrayType& type);

/// Returns JSON whose last member is the CRC-32C of the text before it.
std::string write_manifest(const Manifest& manifest);
/// Throws data_loss, naming `name`, unless write_manifest() could have written the text.
Manifest parse_manifest(std::string_view text, const std::string& name);

}  // namespace meshwright::checkpoint
