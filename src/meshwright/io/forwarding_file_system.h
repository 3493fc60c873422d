// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// The files below one folder of another file system, with that folder as the root. Base class for
/// file systems that add behaviour.
class ForwardingFileSystem : public FileSystem {
 public:
  explicit ForwardingFileSystem(std::shared_ptr<FileSystem> inner, std::string folder = "");

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
  bool can_rename() const override { return inner_->can_rename(); }
  void remove(std::string_view path) override;
  void sync_folder(std::string_view path) override;
  RootState root_state() const override;

 private:
  std::string inner_path(std::string_view path) const;

  std::shared_ptr<FileSystem> inner_;
  std::string folder_;
};

}  // namespace meshwright::io
