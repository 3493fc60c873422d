// SPDX-License-Identifier: Apache-2.0
// What this program adds to a checkpoint in whatever format: a checksum of every file, the paths of
// the arrays in the run's own tree, and small values. Other programs do not look at the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/io/checksums.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::checkpoint {

/// In the folder of a step.
inline constexpr const char* kManifestFile = "meshwright.json";

struct ManifestArray {
  std::string folder;
  ArrayType type;
};

struct Manifest {
  std::string format;  // "native"
  std::int64_t step = 0;
  std::string run = {};                         // the id of the run; empty in older manifests
  std::map<std::string, ManifestArray> arrays;  // by path
  Meta meta;
  io::FileRecords files;  // all but this one
  /// Of all that is above and so of all files; what parse_manifest found.
  std::string digest = {};
};

/// Compares ids of runs. An empty id, as in older manifests, may be that of any run.
inline bool may_be_same_run(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() || a == b;
}

/// Counts the names in the paths that a file gives, which become trees of many times its size.
class StoredPaths {
 public:
  /// Throws data_loss for a path of more than 4096 bytes or kMaxTreeDepth names, one with an empty
  /// name, and where all paths have more than 2^18 names.
  void add(std::string_view path);

 private:
  std::size_t num_names_ = 0;
};

/// Throws data_loss or invalid_argument for sizes that no array can have.
void check_stored_type(const ArrayType& type);

/// JSON, of which the last member is the CRC-32C of the text before it.
std::string write_manifest(const Manifest& manifest);
/// Throws data_loss, naming `name`, unless this is what write_manifest gives.
Manifest parse_manifest(std::string_view text, const std::string& name);

}  // namespace meshwright::checkpoint
