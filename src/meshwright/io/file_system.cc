// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/file_system.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/io/forwarding_file_system.h"
#include "meshwright/io/path.h"
#include "meshwright/io/posix_file_system.h"

namespace meshwright::io {

namespace {

std::unique_ptr<ReadableFile> open_small(const FileSystem& files,
                                         std::string_view path,
                                         std::uint64_t max_bytes) {
  std::unique_ptr<ReadableFile> file = files.open(path);
  if (file->num_bytes() > max_bytes) {
    fail(ErrorCode::data_loss, files.full_name(path), ": has ", file->num_bytes(),
         " bytes, expected at most ", max_bytes);
  }
  return file;
}

}  // namespace

Buffer read_file(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  const std::unique_ptr<ReadableFile> file = open_small(files, path, max_bytes);
  Buffer out(file->num_bytes());
  file->read(0, out.span());
  return out;
}

bool is_file(const FileSystem& files, std::string_view path) {
  const std::optional<FileInfo> found = files.find(path);
  return found && found->kind == FileKind::file;
}

bool is_folder(const FileSystem& files, std::string_view path) {
  const std::optional<FileInfo> found = files.find(path);
  return found && found->kind == FileKind::folder;
}

std::string read_end(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  std::unique_ptr<ReadableFile> file = files.open(path);
  const std::uint64_t num_bytes = std::min(file->num_bytes(), max_bytes);
  Buffer out(num_bytes);
  file->read(file->num_bytes() - num_bytes, out.span());
  return std::string(out.text());
}

std::string read_text(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  const std::unique_ptr<ReadableFile> file = open_small(files, path, max_bytes);
  std::string out(file->num_bytes(), '\0');
  file->read(0, std::as_writable_bytes(std::span(out)));
  return out;
}

void write_file(FileSystem& files,
                std::string_view path,
                std::span<const std::byte> bytes,
                Durability durability) {
  std::unique_ptr<WritableFile> file = files.create(path);
  file->append(bytes);
  if (durability == Durability::synced) file->sync();
  file->close();
}

void write_text(FileSystem& files,
                std::string_view path,
                std::string_view text,
                Durability durability) {
  write_file(files, path, as_bytes(text), durability);
}

namespace {

// Removes an entry that is not a plain file, since it cannot be written to.
void remove_other(FileSystem& files, std::string_view path) {
  const std::optional<FileInfo> there = files.find(path);
  if (there && there->kind == FileKind::other) files.remove(path);
}

}  // namespace

std::unique_ptr<WritableFile> create_anew(FileSystem& files, std::string_view path) {
  files.make_folder(parent_of(path));
  remove_other(files, path);
  return files.create(path);
}

void write_anew(FileSystem& files, std::string_view path, std::string_view text) {
  std::unique_ptr<WritableFile> file = create_anew(files, path);
  file->append(as_bytes(text));
  file->close();
}

void replace_text(FileSystem& files, std::string_view path, std::string_view text) {
  std::string unfinished = str(path, ".new");
  remove_other(files, unfinished);
  write_text(files, unfinished, text, Durability::synced);
  files.rename(unfinished, path);
  files.sync_folder(parent_of(path));
}

namespace {

std::string folder_of(const std::string& location) {
  MW_CHECK(!location.empty(), "files: empty folder name");
  std::size_t scheme_end = location.find("://");
  if (scheme_end == std::string::npos) return location;
  std::string scheme = location.substr(0, scheme_end);
  if (scheme == "file") return location.substr(scheme_end + 3);
  fail(ErrorCode::unimplemented, "files: '", location, "': ", scheme,
       ":// is not supported, only local folders\nuse a local path or a mounted bucket");
}

}  // namespace

std::shared_ptr<FileSystem> open_file_system(const std::string& location) {
  return std::make_shared<PosixFileSystem>(folder_of(location));
}

std::shared_ptr<FileSystem> hold_folder(const std::string& location) {
  return PosixFileSystem::hold(folder_of(location));
}

std::shared_ptr<FileSystem> subtree(std::shared_ptr<FileSystem> files, std::string folder) {
  return std::make_shared<ForwardingFileSystem>(std::move(files), std::move(folder));
}

}  // namespace meshwright::io
