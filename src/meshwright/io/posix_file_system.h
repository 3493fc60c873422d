// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// A folder of this machine, which need not exist yet. The way to the root may have links in it;
/// below the root there must be none on the way to a file.
class PosixFileSystem : public FileSystem {
 public:
  explicit PosixFileSystem(std::filesystem::path root) : root_(std::move(root)) {}

  std::string full_name(std::string_view path) const override;
  std::optional<FileInfo> find(std::string_view path) const override;
  std::vector<FolderEntry> list(std::string_view path) const override;
  std::unique_ptr<ReadableFile> open(std::string_view path) const override;
  std::unique_ptr<WritableFile> create(std::string_view path) override;
  void make_folder(std::string_view path) override;
  void rename(std::string_view from, std::string_view to) override;
  bool can_rename() const override { return true; }
  void remove(std::string_view path) override;
  void sync_folder(std::string_view path) override;

 private:
  std::filesystem::path root_;
};

}  // namespace meshwright::io
