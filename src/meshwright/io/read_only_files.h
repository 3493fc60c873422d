// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// Base class for file systems that cannot be written: every change throws invalid_argument.
class ReadOnlyFiles : public FileSystem {
 public:
  std::unique_ptr<WritableFile> create(std::string_view path) final { refuse(path); }
  std::unique_ptr<WritableFile> update(std::string_view path) final { refuse(path); }
  std::unique_ptr<AppendableFile> append(std::string_view path) final { refuse(path); }
  std::unique_ptr<FileLock> lock(std::string_view path, std::string_view /*text*/) final {
    refuse(path);
  }
  void make_folder(std::string_view path) final { refuse(path); }
  void rename(std::string_view from, std::string_view /*to*/) final { refuse(from); }
  bool can_rename() const final { return false; }
  void remove(std::string_view path) final { refuse(path); }
  void sync_folder(std::string_view path) final { refuse(path); }
  RootState root_state() const final { return {}; }

 private:
  [[noreturn]] void refuse(std::string_view path) const;
};

}  // namespace meshwright::io
