// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/file_system.h"

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"
#include "meshwright/io/posix_file_system.h"

namespace meshwright::io {

Buffer read_file(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  std::unique_ptr<ReadableFile> file = files.open(path);
  std::uint64_t num_bytes = file->num_bytes();
  if (num_bytes > max_bytes) {
    fail(ErrorCode::data_loss, files.full_name(path), ": has ", num_bytes, " bytes; at most ",
         max_bytes, " are expected");
  }
  Buffer out(num_bytes);
  file->read(0, out.span());
  return out;
}

std::string read_text(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  return std::string(read_file(files, path, max_bytes).text());
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

void replace_text(FileSystem& files, std::string_view path, std::string_view text) {
  std::string unfinished = str(path, ".new");
  write_text(files, unfinished, text, Durability::synced);
  files.rename(unfinished, path);
  files.sync_folder(parent_of(path));
}

namespace {

void remove_below(FileSystem& files, const std::string& folder) {
  for (const FolderEntry& entry : files.list(folder)) {
    std::string path = join_path(folder, entry.name);
    if (entry.kind == FileKind::folder) remove_below(files, path);
    files.remove(path);
  }
}

}  // namespace

void remove_tree(FileSystem& files, std::string_view path) {
  std::optional<FileInfo> info = files.find(path);
  if (!info) return;
  if (info->kind == FileKind::folder) remove_below(files, std::string(path));
  files.remove(path);
}

std::shared_ptr<FileSystem> open_file_system(const std::string& location) {
  MW_CHECK(!location.empty(), "files: the name of the folder is empty");
  std::size_t scheme_end = location.find("://");
  if (scheme_end == std::string::npos) return std::make_shared<PosixFileSystem>(location);
  std::string scheme = location.substr(0, scheme_end);
  if (scheme == "file") return std::make_shared<PosixFileSystem>(location.substr(scheme_end + 3));
  fail(ErrorCode::unimplemented, "files: '", location, "': ", scheme,
       ":// is not supported yet, only folders of this machine\nuse a local path or a mounted "
       "bucket");
}

}  // namespace meshwright::io
