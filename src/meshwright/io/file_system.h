// SPDX-License-Identifier: Apache-2.0
// All of the program's file access goes through FileSystem, so that tests can make any call fail
// and an object store can replace the disk.
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
  std::int64_t modified_seconds = 0;  // since 1970; never to decide what is kept or removed
};

struct FolderEntry {
  std::string name;
  FileKind kind = FileKind::file;
};

class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual std::uint64_t num_bytes() const = 0;
  /// Fills `out` with the bytes from `offset` on. Throws data_loss if the file ends too early, and
  /// unavailable if the device fails. Several threads may read at once.
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

class WritableFile {
 public:
  /// Abandons the file if it was not closed, leaving its content incomplete.
  virtual ~WritableFile() = default;
  virtual void append(std::span<const std::byte> bytes) = 0;
  /// Writes bytes at an offset, which may lie beyond the end. Several threads may do so at once,
  /// but not in a file that is also appended to.
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Returns once the bytes would survive a power loss. If it throws, the file is lost: write a new
  /// one.
  virtual void sync() = 0;
  /// Must be called. Device errors may be reported only here.
  virtual void close() = 0;
};

/// A file opened for appending. Its existing bytes are kept.
class AppendableFile : public WritableFile {
 public:
  virtual std::uint64_t num_bytes() const = 0;
  /// Drops all bytes after the first `num_bytes`.
  virtual void truncate(std::uint64_t num_bytes) = 0;
};

/// An exclusive lock on a file, released by the destructor or when the process ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
  /// False once the locked file has been removed or replaced, after which the lock excludes nobody.
  virtual bool is_in_place() const = 0;
};

/// State of the root folder since it was opened.
struct RootState {
  enum class Kind {
    in_place,
    moved,     // renamed: files are still written to it, at `now_at`
    removed,   // deleted: nothing can be written anymore
    replaced,  // deleted, and another folder has its name
  };
  Kind kind = Kind::in_place;
  std::string now_at = {};     // if moved and known
  bool is_name_taken = false;  // another folder has the old name
  bool operator==(const RootState&) const = default;
};

/// A tree of files below one root. Paths are relative to the root (io/path.h). Only plain files and
/// folders below the root are used: links, pipes, sockets and devices are neither followed nor
/// opened. Hard links count as plain files. All functions are thread-safe. Their errors contain the
/// full name of the file:
///   not_found, already_exists  as their names say
///   resource_exhausted         no space, quota or file handles left
///   unavailable                the device or network failed; a retry may succeed
///   data_loss                  on reading: not a plain file or folder
///   invalid_argument           not permitted; an invalid path; on writing: the path exists and is
///                              not a plain file or folder
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// Returns the full path, for messages: "/runs/a/checkpoints/step_1/index".
  virtual std::string full_name(std::string_view path) const = 0;

  /// Describes the entry at this path; a link is not followed. Throws data_loss if a parent is a
  /// link.
  virtual std::optional<FileInfo> find(std::string_view path) const = 0;
  /// Returns the entries of a folder, ordered by name. Throws not_found if it does not exist.
  virtual std::vector<FolderEntry> list(std::string_view path) const = 0;
  virtual std::unique_ptr<ReadableFile> open(std::string_view path) const = 0;

  /// Creates a file, replacing an existing one. Its folder must exist.
  virtual std::unique_ptr<WritableFile> create(std::string_view path) = 0;
  /// Opens a file to write at offsets, creating it if necessary. Its existing bytes are kept. Its
  /// folder must exist.
  virtual std::unique_ptr<WritableFile> update(std::string_view path) = 0;
  /// Opens a file for appending, creating it if necessary. Its folder must exist.
  virtual std::unique_ptr<AppendableFile> append(std::string_view path) = 0;
  /// Locks a file, creating it if necessary, and sets its content to `text`, which identifies the
  /// holder. Returns null while another process holds the lock; the content then identifies it.
  virtual std::unique_ptr<FileLock> lock(std::string_view path, std::string_view text) = 0;
  /// Creates the folder and its parents. Does nothing if it exists.
  virtual void make_folder(std::string_view path) = 0;
  /// Renames atomically, replacing an existing file or empty folder. Only available on disks: check
  /// can_rename() first.
  virtual void rename(std::string_view from, std::string_view to) = 0;
  virtual bool can_rename() const = 0;
  /// Removes a file or an empty folder. Throws not_found if it does not exist.
  virtual void remove(std::string_view path) = 0;
  /// Returns once the names in this folder would survive a power loss.
  virtual void sync_folder(std::string_view path) = 0;

  /// Returns whether the root is still where it was opened.
  virtual RootState root_state() const = 0;
};

enum class Durability { none, synced };

/// Reads a whole file. Throws data_loss if it has more than `max_bytes` bytes.
Buffer read_file(const FileSystem& files,
                 std::string_view path,
                 std::uint64_t max_bytes = UINT64_MAX);
/// Returns the last `max_bytes` bytes of a file, or all of it if it is shorter.
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
/// Creates a file and its folder, replacing whatever is at `path`, even a link or pipe.
std::unique_ptr<WritableFile> create_anew(FileSystem& files, std::string_view path);
/// Writes `text` with create_anew(). Not durable.
void write_anew(FileSystem& files, std::string_view path, std::string_view text);
/// Replaces a file atomically: even after a crash it has either the old content or the new. Durable
/// on return. Replaces a link or pipe at `path` without following it. Requires can_rename().
void replace_text(FileSystem& files, std::string_view path, std::string_view text);

bool is_file(const FileSystem& files, std::string_view path);
bool is_folder(const FileSystem& files, std::string_view path);

/// Removes a file, or a folder with all its contents. Links are removed, never followed. Does
/// nothing if `path` does not exist.
void remove_tree(FileSystem& files, std::string_view path);

/// Opens a folder or URL. The folder need not exist; every call looks it up by name. Throws
/// unimplemented for a URL that is not on a disk.
std::shared_ptr<FileSystem> open_file_system(const std::string& location);

/// Like open_file_system(), but creates the folder if necessary and keeps it open. All calls refer
/// to that same folder, even after it has been moved or replaced, and never create it again.
std::shared_ptr<FileSystem> hold_folder(const std::string& location);

/// Returns the files below `folder`, with `folder` as the root. root_state() is forwarded to
/// `files`.
std::shared_ptr<FileSystem> subtree(std::shared_ptr<FileSystem> files, std::string folder);

}  // namespace meshwright::io
