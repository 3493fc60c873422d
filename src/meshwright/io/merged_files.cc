// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/merged_files.h"

#include <map>
#include <utility>

#include "meshwright/io/read_only_files.h"

namespace meshwright::io {
namespace {

class MergedFiles : public ReadOnlyFiles {
 public:
  explicit MergedFiles(std::vector<std::shared_ptr<FileSystem>> parts) : parts_(std::move(parts)) {}

  std::string full_name(std::string_view path) const override {
    return part_with(path).full_name(path);
  }
  std::optional<FileInfo> find(std::string_view path) const override {
    return part_with(path).find(path);
  }
  std::vector<FolderEntry> list(std::string_view path) const override {
    std::map<std::string, FileKind> found;
    for (const auto& part : parts_) {
      if (!part->find(path)) continue;
      for (FolderEntry& entry : part->list(path))
        found.emplace(std::move(entry.name), entry.kind);
    }
    if (found.empty()) return part_with(path).list(path);
    std::vector<FolderEntry> out;
    for (const auto& [name, kind] : found)
      out.push_back({name, kind});
    return out;
  }
  std::unique_ptr<ReadableFile> open(std::string_view path) const override {
    return part_with(path).open(path);
  }

 private:
  const FileSystem& part_with(std::string_view path) const {
    for (const auto& part : parts_)
      if (part->find(path)) return *part;
    return *parts_.front();
  }

  std::vector<std::shared_ptr<FileSystem>> parts_;
};

}  // namespace

std::shared_ptr<FileSystem> merged_files(std::vector<std::shared_ptr<FileSystem>> parts) {
  return std::make_shared<MergedFiles>(std::move(parts));
}

}  // namespace meshwright::io
