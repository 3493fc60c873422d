// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// An in-memory disk that models power loss. Bytes are durable once their file is synced, and names
/// are durable once their folder is synced.
class MemoryFileSystem : public FileSystem {
 public:
  MemoryFileSystem();

  std::string full_name(std::string_view path) const override;
  std::optional<FileInfo> find(std::string_view path) const override;
  std::vector<FolderEntry> list(std::string_view path) const override;
  std::unique_ptr<ReadableFile> open(std::string_view path) const override;
  std::unique_ptr<WritableFile> create(std::string_view path) override;
  std::unique_ptr<WritableFile> update(std::string_view path) override;
  std::unique_ptr<AppendableFile> append(std::string_view path) override;
  /// The lock must not outlive the file system.
  std::unique_ptr<FileLock> lock(std::string_view path, std::string_view text) override;
  void make_folder(std::string_view path) override;
  void rename(std::string_view from, std::string_view to) override;
  bool can_rename() const override { return true; }
  void remove(std::string_view path) override;
  void sync_folder(std::string_view path) override;
  RootState root_state() const override;

  // The following functions simulate what other programs do to a root folder that is held open, as
  // seen by hold_folder() on a real disk.
  /// Simulates `mv` of the root: all files stay usable. Another folder may have taken the old name.
  void move_root(std::string now_at, bool is_name_taken = false);
  /// Simulates `rm -rf` of the root, optionally with a new folder in its place. All names are gone
  /// and nothing can be created, but open files can still be read and written.
  void remove_root(bool is_replaced = false);
  /// Simulates moving the root back.
  void restore_root_name() { move_root(""); }
  /// Puts a link, pipe or device at this path, replacing any file.
  void put_other(std::string_view path);

  /// Returns how many of `num` unsynced items survive: 0..num.
  using Survives = std::function<std::size_t(std::size_t num)>;
  static std::size_t nothing(std::size_t) { return 0; }

  /// Simulates a power cycle. A prefix of the unsynced bytes of each file survives, and each
  /// unsynced change to a name survives (1 of 1) or not (0 of 1), regardless of their order.
  void lose_power(const Survives& survives = nothing);

  /// Returns the bytes of a file, for tests that corrupt them. Throws not_found if it does not
  /// exist.
  std::string& content(std::string_view path);
  /// Returns all files, ordered by name.
  std::vector<std::string> files() const;

  /// Returns an independent copy, including the record of what is durable.
  std::shared_ptr<MemoryFileSystem> copy() const;
  /// Returns all names and bytes as text. The text is equal for file systems that a reader cannot
  /// distinguish.
  std::string image() const;

 private:
  struct Content;
  struct MemoryReader;
  template <typename File>
  struct MemoryWriter;
  struct MemoryAppender;
  struct MemoryLock;
  // null for a folder
  using Names = std::map<std::string, std::shared_ptr<Content>, std::less<>>;
  struct Change {  // content is the file at `to`; an empty `to` removes the name `from`
    std::string from, to;
    std::shared_ptr<Content> content;
  };

  void check_folder(std::string_view path, ErrorCode if_other) const;
  void check_way(std::string_view path, ErrorCode if_other) const;
  std::shared_ptr<Content> open_to_write(std::string_view path);
  static void apply(const Change& change, Names& names);
  void change(Change change);

  mutable std::mutex mutex_;
  Names names_;
  Names durable_names_;
  std::vector<Change> pending_;  // changes to names that are not yet durable
  RootState root_state_;
};

}  // namespace meshwright::io
