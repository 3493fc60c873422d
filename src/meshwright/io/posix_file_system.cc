// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/posix_file_system.h"

#include <algorithm>

#include <dirent.h>
#include <sys/stat.h>

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"
#include "meshwright/io/posix_error.h"
#include "meshwright/io/posix_files.h"
#include "meshwright/io/posix_handle.h"

namespace meshwright::io {
namespace {

/// The last component of a path, relative to its open parent folder.
struct Place {
  Handle folder;
  std::string name;  // "." for the root
  std::string full_name;

  PosixName at() const { return {folder.get(), name.c_str(), full_name}; }
};

// Opens one folder after the other, so that no link can lead out of the root.
Place find_place(const PosixFileSystem& files,
                 const PosixRoot& root,
                 std::string_view path,
                 Use use,
                 bool make_folders = false) {
  std::vector<std::string> components = path_components(path);
  Handle at = root.open();
  std::string here;
  for (std::size_t i = 0; i + 1 < components.size(); ++i) {
    here = join_path(here, components[i]);
    const char* name = components[i].c_str();
    if (make_folders && ::mkdirat(at.get(), name, 0777) != 0 && errno != EEXIST) {
      fail_errno("creating the folder", files.full_name(here));
    }
    Handle next = open_at(at.get(), name, kOpenFolder | O_NOFOLLOW);
    if (!next) {
      const int reason = errno;
      fail_at("opening the folder", {at.get(), name, files.full_name(here)}, use, reason);
    }
    at = std::move(next);
  }
  return {std::move(at), components.empty() ? "." : components.back(), files.full_name(path)};
}

Handle open_folder(std::string_view doing, const Place& place, Use use) {
  Handle out = open_at(place.folder.get(), place.name.c_str(), kOpenFolder | O_NOFOLLOW);
  if (!out) fail_at(doing, place.at(), use, errno);
  return out;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

FileKind kind_of_entry(const dirent& entry, int folder) {
  if (entry.d_type == DT_REG) return FileKind::file;
  if (entry.d_type == DT_DIR) return FileKind::folder;
  if (entry.d_type != DT_UNKNOWN) return FileKind::other;
  struct stat status {};  // the file system does not report types
  if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return FileKind::other;
  return kind_of(status.st_mode);
}

}  // namespace

std::shared_ptr<PosixFileSystem> PosixFileSystem::hold(std::filesystem::path root) {
  return std::shared_ptr<PosixFileSystem>(new PosixFileSystem(PosixRoot::held(std::move(root))));
}

std::string PosixFileSystem::full_name(std::string_view path) const {
  std::filesystem::path root = root_.name();
  return path.empty() ? root.string() : (root / path).string();
}

std::optional<FileInfo> PosixFileSystem::find(std::string_view path) const {
  check_path(path);
  try {
    Place place = find_place(*this, root_, path, Use::read);
    struct stat status {};
    if (::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      return FileInfo{kind_of(status.st_mode), static_cast<std::uint64_t>(status.st_size),
                      status.st_mtim.tv_sec};
    }
    fail_errno("looking up", full_name(path));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
  }
  return std::nullopt;
}

std::vector<FolderEntry> PosixFileSystem::list(std::string_view path) const {
  Handle fd = open_folder("listing", find_place(*this, root_, path, Use::read), Use::read);
  std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(fd.get()));
  if (!folder) fail_errno("listing", full_name(path));
  int folder_fd = fd.release();  // owned by the stream from here on
  std::vector<FolderEntry> out;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back({name, kind_of_entry(*entry, folder_fd)});
  }
  if (errno != 0) fail_errno("listing", full_name(path));
  std::ranges::sort(out, {}, &FolderEntry::name);
  return out;
}

std::unique_ptr<ReadableFile> PosixFileSystem::open(std::string_view path) const {
  return open_readable(find_place(*this, root_, path, Use::read).at());
}

std::unique_ptr<WritableFile> PosixFileSystem::create(std::string_view path) {
  MW_CHECK(!path.empty(), full_name(path), ": the root is a folder and cannot be written to");
  return open_writable(find_place(*this, root_, path, Use::write).at());
}

std::unique_ptr<WritableFile> PosixFileSystem::update(std::string_view path) {
  MW_CHECK(!path.empty(), full_name(path), ": the root is a folder and cannot be written to");
  return open_to_update(find_place(*this, root_, path, Use::write).at());
}

std::unique_ptr<AppendableFile> PosixFileSystem::append(std::string_view path) {
  MW_CHECK(!path.empty(), full_name(path), ": the root is a folder and cannot be written to");
  return open_appendable(find_place(*this, root_, path, Use::write).at());
}

std::unique_ptr<FileLock> PosixFileSystem::lock(std::string_view path, std::string_view text) {
  MW_CHECK(!path.empty(), full_name(path), ": the root is a folder; lock a file in it");
  return lock_file(find_place(*this, root_, path, Use::write).at(), text);
}

void PosixFileSystem::make_folder(std::string_view path) {
  check_path(path);
  root_.make();
  if (path.empty()) return;
  Place place = find_place(*this, root_, path, Use::write, /*make_folders=*/true);
  if (::mkdirat(place.folder.get(), place.name.c_str(), 0777) == 0) return;
  int reason = errno;
  std::optional<FileInfo> info = find(path);
  if (reason == EEXIST && info && info->kind == FileKind::folder) return;
  if (info && info->kind == FileKind::other) reason = ENOTDIR;
  fail_at("creating the folder", place.at(), Use::write, reason);
}

void PosixFileSystem::rename(std::string_view from, std::string_view to) {
  MW_CHECK(!from.empty() && !to.empty(), full_name(""), ": the root cannot be renamed");
  Place source = find_place(*this, root_, from, Use::write);
  Place target = find_place(*this, root_, to, Use::write);
  if (::renameat(source.folder.get(), source.name.c_str(), target.folder.get(),
                 target.name.c_str()) != 0) {
    int reason = errno;
    fail_errno(str("renaming ", full_name(from), " to"), full_name(to), reason);
  }
}

void PosixFileSystem::remove(std::string_view path) {
  MW_CHECK(!path.empty(), full_name(""), ": the root cannot be removed");
  Place place = find_place(*this, root_, path, Use::write);
  if (::unlinkat(place.folder.get(), place.name.c_str(), 0) == 0) return;
  if ((errno == EISDIR || errno == EPERM) &&
      ::unlinkat(place.folder.get(), place.name.c_str(), AT_REMOVEDIR) == 0) {
    return;
  }
  fail_errno("removing", full_name(path));
}

void PosixFileSystem::sync_folder(std::string_view path) {
  Handle fd =
      open_folder("syncing the folder", find_place(*this, root_, path, Use::write), Use::write);
  if (again_if_interrupted([&] { return ::fsync(fd.get()); }) != 0) {
    fail_errno("syncing the folder", full_name(path));
  }
}

}  // namespace meshwright::io
