// SPDX-License-Identifier: Apache-2.0
// Internal to containers/: writes checkpoints whose arrays lie in files as they do in memory.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/container.h"
#include "meshwright/io/file_region.h"

namespace meshwright::checkpoint {

/// Where an array goes.
struct RawPlace {
  std::size_t file = 0;  // number of the file
  io::FileRange range;
};

struct RawFile {
  std::string name;    // relative to the folder, or empty if the checkpoint is this file
  std::string header;  // its first bytes; empty if complete() writes them
  /// Writes what depends on the elements; may be absent. `written` reads the file.
  std::function<void(io::WritableFile& file, const io::ReadableFile& written)> complete = {};
};

/// The files of a checkpoint before any element is written.
struct RawFiles {
  std::string path;        // of the file or folder
  bool is_folder = false;  // of several files
  std::vector<RawFile> files;
  std::map<std::string, std::string> others = {};  // further small files of the folder, by name
  std::map<std::string, RawPlace> places;          // by path of the array
};

/// Writes under another name and renames when complete. Throws already_exists if something is at
/// the path, and invalid_argument if files cannot be renamed.
std::unique_ptr<CheckpointWriter> raw_files_writer(const Files& files,
                                                   RawFiles plan,
                                                   const Tree<ArrayPlan>& arrays,
                                                   const WriteOptions& options);

}  // namespace meshwright::checkpoint
