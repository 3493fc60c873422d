// SPDX-License-Identifier: Apache-2.0
// All that this program does with files goes through this seam, so that tests can make every call
// fail and an object store can take the place of a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/buffer.h"

namespace meshwright::io {

enum class FileKind { file, folder, other };  // other: links, pipes, sockets, devices

struct FileInfo {
  FileKind kind = FileKind::file;
  std::uint64_t num_bytes = 0;
  std::int64_t modified_seconds = 0;  // since 1970; for people, never for decisions
};

struct FolderEntry {
  std::string name;
  FileKind kind = FileKind::file;
};

class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual std::uint64_t num_bytes() const = 0;
  /// Fills `out` from `offset` on. Throws data_loss if the file ends before, unavailable if the
  /// device fails. Several threads may read at once.
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

class WritableFile {
 public:
  /// Drops what was not closed: the file is then incomplete, and nothing refers to it yet.
  virtual ~WritableFile() = default;
  virtual void append(std::span<const std::byte> bytes) = 0;
  /// Returns when the bytes would survive a loss of power. Once it has failed, the file is lost:
  /// write another one.
  virtual void sync() = 0;
  /// Must be called; errors of the device may come only here.
  virtual void close() = 0;
};

/// A file whose existing bytes stay.
class AppendableFile : public WritableFile {
 public:
  virtual std::uint64_t num_bytes() const = 0;
  /// Drops the bytes after the first `num_bytes`.
  virtual void truncate(std::uint64_t num_bytes) = 0;
};

/// An exclusive lock on a file, released by the destructor or with the process.
class FileLock {
 public:
  virtual ~FileLock() = default;
  /// False once the locked file was removed or its name leads to another one: the lock then keeps
  /// nobody out.
  virtual bool is_in_place() const = 0;
};

/// What became of the root folder since it was opened.
struct RootState {
  enum class Kind {
    in_place,
    moved,     // renamed: files are still written to it, under `now_at`
    removed,   // deleted: nothing can be written any more
    replaced,  // deleted, and another folder has its name
  };
  Kind kind = Kind::in_place;
  std::string now_at = {};     // if moved and known
  bool is_name_taken = false;  // another folder has the old name
  bool operator==(const RootState&) const = default;
};

/// A tree of files below one root. Paths are relative to it (io/path.h). Below the root there are
/// plain files and folders only: links, pipes, sockets and devices are neither followed nor opened.
/// Hard links are plain files. All functions may be called by several threads, and throw with the
/// full name:
///   not_found, already_exists  as the names say
///   resource_exhausted         no space, quota or file handles left
///   unavailable                the device or network failed: another try may work
///   data_loss                  reading: something else is where a plain file or folder should be
///   invalid_argument           not allowed; an invalid path; writing: something else than a plain
///                              file or folder is in the way
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// The path in full, for messages: "/runs/a/checkpoints/step_1/index".
  virtual std::string full_name(std::string_view path) const = 0;

  /// What is at this path, a link itself included. Throws data_loss for a link on the way to it.
  virtual std::optional<FileInfo> find(std::string_view path) const = 0;
  /// What is in a folder, by name. Throws not_found.
  virtual std::vector<FolderEntry> list(std::string_view path) const = 0;
  virtual std::unique_ptr<ReadableFile> open(std::string_view path) const = 0;

  /// A new file, in place of one that is there. Its folder must exist.
  virtual std::unique_ptr<WritableFile> create(std::string_view path) = 0;
  /// Opens a file to add to its end; creates it if it does not exist. Its folder must exist.
  virtual std::unique_ptr<AppendableFile> append(std::string_view path) = 0;
  /// Locks a file, which is created if needed, and replaces its content with `text`, which says who
  /// holds it. Returns null while somebody else does; the content can be read then.
  virtual std::unique_ptr<FileLock> lock(std::string_view path, std::string_view text) = 0;
  /// With those above it; nothing happens if it is there.
  virtual void make_folder(std::string_view path) = 0;
  /// Atomic; takes the place of a file or of an empty folder that is there. Only a disk has it: a
  /// format that needs it asks can_rename() first.
  virtual void rename(std::string_view from, std::string_view to) = 0;
  virtual bool can_rename() const = 0;
  /// A file or an empty folder. Throws not_found.
  virtual void remove(std::string_view path) = 0;
  /// Returns when the names in this folder would survive a loss of power.
  virtual void sync_folder(std::string_view path) = 0;

  /// Whether the root is still where it was opened.
  virtual RootState root_state() const = 0;
};

enum class Durability { none, synced };

/// The whole file. Throws data_loss if it has more than `max_bytes`.
Buffer read_file(const FileSystem& files,
                 std::string_view path,
                 std::uint64_t max_bytes = UINT64_MAX);
/// The last `max_bytes` of a file, or all of it.
std::string read_end(const FileSystem& files, std::string_view path, std::uint64_t max_bytes);
std::string read_text(const FileSystem& files,
                      std::string_view path,
                      std::uint64_t max_bytes = std::uint64_t{64} << 20);

void write_file(FileSystem& files,
                std::string_view path,
                std::span<const std::byte> bytes,
                Durability durability = Durability::none);
void write_text(FileSystem& files,
                std::string_view path,
                std::string_view text,
                Durability durability = Durability::none);
/// A new file in place of any that is there, a link or pipe included; makes its folder.
std::unique_ptr<WritableFile> create_anew(FileSystem& files, std::string_view path);
/// The same with this content; not durable.
void write_anew(FileSystem& files, std::string_view path, std::string_view text);
/// Either the old content or the new one, whatever happens; durable on return. A link or pipe at
/// `path` is replaced, not followed. Needs can_rename().
void replace_text(FileSystem& files, std::string_view path, std::string_view text);

/// A folder with all below it, or a file; links are removed, never followed. Nothing happens if
/// there is nothing.
void remove_tree(FileSystem& files, std::string_view path);

/// The files of this folder or URL. Every call finds the folder by its name anew; it need not
/// exist. Throws unimplemented for a store that is not a disk.
std::shared_ptr<FileSystem> open_file_system(const std::string& location);

/// The same, but the folder is made if needed and opened once: all calls go to that very folder,
/// even after it was moved or another folder took its name, and none makes it again.
std::shared_ptr<FileSystem> hold_folder(const std::string& location);

/// The files below one folder, with that folder as the root. Its root_state() is that of `files`.
std::shared_ptr<FileSystem> subtree(std::shared_ptr<FileSystem> files, std::string folder);

}  // namespace meshwright::io
