// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "meshwright/base/error.h"
#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// A call into a FileSystem, as passed to a Fault.
struct FileCall {
  enum class Kind {
    find,
    list,
    open,
    read,  // the calls up to here change nothing
    create,
    append,
    sync,
    close,
    make_folder,
    rename,
    remove,
    sync_folder,
    append_to,  // opening a file whose bytes are kept
    truncate,
    lock
  };
  Kind kind;
  std::string path;
  std::size_t num_changing = 0;  // number of changing calls so far, including this one

  bool is_changing() const { return kind >= Kind::create; }
};

std::string_view call_name(FileCall::Kind kind);

/// Faults to inject.
struct Fault {
  /// Runs before each call. It may throw, sleep or end the process; if it returns, the call
  /// proceeds.
  std::function<void(const FileCall&)> before;
  /// Returns how many bytes of an append reach the file before `before` runs again. Defaults to
  /// all.
  std::function<std::size_t(const FileCall&, std::size_t num_bytes)> shorten;
  /// Called after a read; may modify the bytes that were read.
  std::function<void(const FileCall&, std::span<std::byte>)> damage;
};

/// Throws `code` at the n-th changing call (counted from 1), either once or from then on.
Fault fail_at(std::size_t n, ErrorCode code, bool for_ever = false);

/// Wraps a file system and injects faults into its calls.
class FaultyFileSystem : public FileSystem {
 public:
  FaultyFileSystem(std::shared_ptr<FileSystem> inner, Fault fault)
      : inner_(std::move(inner)), fault_(std::make_shared<const Fault>(std::move(fault))) {}

  std::size_t num_changing_calls() const { return *num_changing_; }

  std::string full_name(std::string_view path) const override { return inner_->full_name(path); }
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
  RootState root_state() const override { return inner_->root_state(); }

 private:
  struct FaultyReader;
  template <typename File>
  struct FaultyWriter;
  struct FaultyAppender;
  using Counter = std::shared_ptr<std::atomic<std::size_t>>;

  FileCall record(FileCall::Kind kind, std::string_view path) const;
  template <typename Writer, typename File>
  std::unique_ptr<Writer> wrap(std::unique_ptr<File> inner, std::string_view path) const;

  std::shared_ptr<FileSystem> inner_;
  std::shared_ptr<const Fault> fault_;
  Counter num_changing_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace meshwright::io
