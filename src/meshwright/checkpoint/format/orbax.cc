// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/orbax.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

constexpr int kMaxDepth = 2;

bool is_orbax(const io::FileSystem& files, const std::string& folder) {
  constexpr std::array kMarks = {"_METADATA", "manifest.ocdbt", "_CHECKPOINT_METADATA"};
  const auto is_there = [&](const char* name) {
    return io::is_file(files, io::join_path(folder, name));
  };
  return std::ranges::any_of(kMarks, is_there) && !is_there(kManifestFile);
}

}  // namespace

std::optional<std::string> find_orbax(const io::FileSystem& files) {
  std::vector<std::string> here = {""};
  for (int depth = 0; depth <= kMaxDepth; ++depth) {
    std::vector<std::string> below;
    for (const std::string& folder : here) {
      if (is_orbax(files, folder)) return folder;
      if (depth == kMaxDepth) continue;
      for (const io::FolderEntry& entry : files.list(folder)) {
        std::string path = io::join_path(folder, entry.name);
        if (entry.kind == io::FileKind::folder && io::is_path(path))
          below.push_back(std::move(path));
      }
    }
    here = std::move(below);
  }
  return std::nullopt;
}

}  // namespace meshwright::checkpoint
