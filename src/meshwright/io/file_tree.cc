// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/file_tree.h"

#include <utility>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/io/path.h"

namespace meshwright::io {
namespace {

// Deeper folders are moved up first.
constexpr std::size_t kMaxFoldersToRemove = 8;

struct Folder {
  std::string path;
  std::size_t depth = 0;
};

// Returns an unused name for a folder directly below `root`.
std::string free_name(const FileSystem& files, const std::string& root, std::size_t& number) {
  std::string out;
  do
    out = join_path(root, str("deep.", ++number));
  while (files.find(out));
  return out;
}

}  // namespace

std::vector<FolderEntry> list_if_there(const FileSystem& files, const std::string& folder) {
  try {
    return files.list(folder);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found && error.code() != ErrorCode::data_loss) throw;
    return {};
  }
}

void for_each_file_below(
    const FileSystem& files,
    const std::string& folder,
    const std::function<void(const std::string& path, const FileInfo& info)>& visit) {
  std::vector<Folder> pending = {{folder}};
  while (!pending.empty()) {
    const Folder here = std::move(pending.back());
    pending.pop_back();
    for (const FolderEntry& entry : list_if_there(files, here.path)) {
      const std::string path = join_path(here.path, entry.name);
      if (!is_path(path)) continue;
      if (entry.kind != FileKind::folder) {
        if (const std::optional<FileInfo> info = files.find(path)) visit(path, *info);
      } else if (here.depth < kMaxFolders) {
        pending.push_back({path, here.depth + 1});
      }
    }
  }
}

std::uint64_t num_bytes_below(const FileSystem& files, const std::string& folder) {
  std::uint64_t out = 0;
  for_each_file_below(files, folder,
                      [&](const std::string&, const FileInfo& info) { out += info.num_bytes; });
  return out;
}

// Removes a folder once a second look finds it empty. Deep folders are moved up first, so that the
// paths below them do not become too long.
void remove_tree(FileSystem& files, std::string_view path) {
  const std::optional<FileInfo> info = files.find(path);
  if (!info) return;
  if (info->kind != FileKind::folder) return files.remove(path);
  const std::string root(path);
  std::size_t num_moved = 0;
  std::vector<Folder> pending = {{root}};
  while (!pending.empty()) {
    const Folder here = pending.back();
    const std::size_t num_before = pending.size();
    for (const FolderEntry& entry : files.list(here.path)) {
      Folder below{join_path(here.path, entry.name), here.depth + 1};
      if (entry.kind != FileKind::folder) {
        files.remove(below.path);
        continue;
      }
      if (below.depth > kMaxFoldersToRemove && files.can_rename()) {
        std::string moved = free_name(files, root, num_moved);
        files.rename(below.path, moved);
        below = {std::move(moved), 1};
      }
      pending.push_back(std::move(below));
    }
    if (pending.size() > num_before) continue;
    files.remove(here.path);
    pending.pop_back();
  }
}

}  // namespace meshwright::io
