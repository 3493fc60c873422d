// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/axlearn_iterators.h"

#include <algorithm>
#include <string_view>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/contents/kept_files.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr std::string_view kIndexSuffix = ".index";
constexpr std::string_view kDataSuffix = ".data-";

// True for "tf_0", "python_12", and "tf" of old versions.
bool is_iterator_folder(std::string_view name) {
  for (std::string_view kind : {"tf", "python"}) {
    if (!name.starts_with(kind)) continue;
    const std::string_view process = name.substr(kind.size());
    if (process.empty()) return kind == "tf";
    return process.size() > 1 && process[0] == '_' &&
           std::ranges::all_of(process.substr(1), [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

bool is_of(std::string_view name, std::string_view iterator) {
  if (!name.starts_with(iterator)) return false;
  const std::string_view rest = name.substr(iterator.size());
  return rest.empty() || rest == kIndexSuffix || rest.starts_with(kDataSuffix);
}

// Returns no entries if the folder does not exist.
std::vector<io::FolderEntry> files_in(const io::FileSystem& files, const std::string& folder) {
  try {
    return files.list(folder);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return {};
  }
}

std::map<std::string, KeptFile> files_of(const Files& files,
                                         const std::string& folder,
                                         const std::vector<std::string>& roots,
                                         const std::string& path) {
  std::map<std::string, KeptFile> out;
  for (const std::string& root : roots) {
    const std::string parent = join_path(root, io::parent_of(path));
    for (const io::FolderEntry& entry : files_in(*files, join_path(folder, parent))) {
      if (entry.kind != io::FileKind::file || !is_of(entry.name, io::name_of(path))) continue;
      const std::string name = join_path(parent, entry.name);
      const std::string file = join_path(folder, name);
      // A file added later is not in the manifest.
      if (const auto info = files->find(file))
        out.emplace(name, kept_file(files, file, info->num_bytes));
    }
  }
  return out;
}

std::vector<std::string> iterator_folders(const io::FileSystem& files, const std::string& folder) {
  std::vector<std::string> out;
  for (const io::FolderEntry& entry : files.list(folder)) {
    if (entry.kind == io::FileKind::folder && is_iterator_folder(entry.name))
      out.push_back(entry.name);
  }
  return out;
}

}  // namespace

bool has_axlearn_iterators(const io::FileSystem& files, const std::string& folder) {
  return !iterator_folders(files, folder).empty();
}

std::vector<IteratorState> find_axlearn_iterators(
    const Files& files,
    const std::string& folder,
    const std::map<std::string, std::string>& listed) {
  if (listed.empty()) return {};
  const std::vector<std::string> roots = iterator_folders(*files, folder);
  std::vector<IteratorState> out;
  for (const auto& [path, type] : listed)
    out.push_back({path, type, files_of(files, folder, roots, path)});
  return out;
}

std::vector<Damage> damage_of(const std::vector<IteratorState>& iterators,
                              const std::string& folder) {
  std::vector<Damage> out;
  for (const IteratorState& iterator : iterators) {
    if (iterator.files.empty())
      out.push_back({folder, str("the iterator '", iterator.path, "' of the index has no file")});
    for (const auto& [name, file] : iterator.files) {
      if (!name.ends_with(kIndexSuffix)) continue;
      const std::string data =
          name.substr(0, name.size() - kIndexSuffix.size()) + std::string(kDataSuffix);
      const auto next = iterator.files.lower_bound(data);
      if (next == iterator.files.end() || !next->first.starts_with(data))
        out.push_back({join_path(folder, data + "*"), "is missing"});
    }
  }
  return out;
}

}  // namespace meshwright::checkpoint
