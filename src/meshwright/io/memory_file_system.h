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

/// A disk in memory that knows what a loss of power would leave of it. Bytes are safe once their
/// file is synced, names once their folder is.
class MemoryFileSystem : public FileSystem {
 public:
  MemoryFileSystem();

  std::string full_name(std::string_view path) const override;
  std::optional<FileInfo> find(std::string_view path) const override;
  std::vector<FolderEntry> list(std::string_view path) const override;
  std::unique_ptr<ReadableFile> open(std::string_view path) const override;
  std::unique_ptr<WritableFile> create(std::string_view path) override;
  std::unique_ptr<AppendableFile> append(std::string_view path) override;
  /// The lock must not outlive the disk.
  std::unique_ptr<FileLock> lock(std::string_view path, std::string_view text) override;
  void make_folder(std::string_view path) override;
  void rename(std::string_view from, std::string_view to) override;
  bool can_rename() const override { return true; }
  void remove(std::string_view path) override;
  void sync_folder(std::string_view path) override;
  RootState root_state() const override;

  // What others do to the folder of a run that holds it, as hold_folder() of a real disk
  // would see it through its open descriptor.
  /// `mv`: everything stays usable. Another folder may have taken the old name since.
  void move_root(std::string now_at, bool is_name_taken = false);
  /// `rm -rf`, and a new folder in its place if wanted: all names are gone, nothing can be created,
  /// files that are open can still be read and written.
  void remove_root(bool is_replaced = false);
  /// `mv` back.
  void restore_root_name() { move_root(""); }
  /// Puts a link, pipe or device at this name, in place of a file that is there.
  void put_other(std::string_view path);

  /// How much of `num` things that were not synced survives: 0..num.
  using Survives = std::function<std::size_t(std::size_t num)>;
  static std::size_t nothing(std::size_t) { return 0; }

  /// The power goes and comes back: of each file a part of the bytes not synced survives, and of
  /// the changes of names each does (1 of 1) or does not (0 of 1), whatever their order was.
  void lose_power(const Survives& survives = nothing);

  /// The bytes themselves, for tests that damage them. Throws not_found.
  std::string& content(std::string_view path);
  /// All files, by name.
  std::vector<std::string> files() const;

  /// A disk of its own in the same state, with what is safe and what is not.
  std::shared_ptr<MemoryFileSystem> copy() const;
  /// All names and bytes: equal for disks that no reader can tell apart.
  std::string image() const;

 private:
  struct Content;
  struct MemoryReader;
  template <typename File>
  struct MemoryWriter;
  struct MemoryAppender;
  struct MemoryLock;
  // A folder has no content.
  using Names = std::map<std::string, std::shared_ptr<Content>, std::less<>>;
  struct Change {  // content is where `to` leads; without `to` the name `from` goes away
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
  std::vector<Change> pending_;  // of names, not yet durable
  RootState root_state_;
};

}  // namespace meshwright::io
