// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "meshwright/io/file_system.h"
#include "meshwright/io/posix_root.h"

namespace meshwright::io {

/// A folder on a local disk. The path of the root may contain links; below the root, only plain
/// files and folders are opened.
class PosixFileSystem : public FileSystem {
 public:
  /// For readers: looks up the folder by name on every call. It need not exist yet.
  explicit PosixFileSystem(std::filesystem::path root) : root_(std::move(root)) {}
  /// For the owner of a folder. See hold_folder().
  static std::shared_ptr<PosixFileSystem> hold(std::filesystem::path root);

  std::string full_name(std::string_view path) const override;
  std::optional<FileInfo> find(std::string_view path) const override;
  std::vector<FolderEntry> list(std::string_view path) const override;
  std::unique_ptr<ReadableFile> open(std::string_view path) const override;
  std::unique_ptr<WritableFile> create(std::string_view path) override;
  std::unique_ptr<WritableFile> update(std::string_view path) override;
  std::unique_ptr<AppendableFile> append(std::string_view path) override;
  std::unique_ptr<FileLock> lock(std::string_view path, std::string_view text) override;
  void make_folder(std::string_view path) override;
  void rename(std::string_view from, std::string_view to) override;
  bool can_rename() const override { return true; }
  void remove(std::string_view path) override;
  void sync_folder(std::string_view path) override;
  RootState root_state() const override { return root_.state(); }

 private:
  explicit PosixFileSystem(PosixRoot root) : root_(std::move(root)) {}

  PosixRoot root_;
};

}  // namespace meshwright::io
