// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/posix_file_system.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"
#include "meshwright/io/posix_error.h"

namespace meshwright::io {
namespace {

/// A file descriptor that is closed with it.
class Handle {
 public:
  explicit Handle(int fd = -1) : fd_(fd) {}
  Handle(Handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Handle() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

template <typename Call>
auto again_if_interrupted(const Call& call) {
  while (true) {
    auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

Handle open_at(int folder, const char* name, int flags) {
  return Handle(again_if_interrupted([&] { return ::openat(folder, name, flags, 0666); }));
}

/// Where the last component of a path lies: the open folder above it.
struct Place {
  Handle folder;
  std::string name;  // "." for the root
};

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::file;
  return S_ISDIR(mode) ? FileKind::folder : FileKind::other;
}

// Goes down one folder after the other, so that no link can lead out of the root.
Place find_place(const PosixFileSystem& files,
                 const std::filesystem::path& root,
                 std::string_view path,
                 bool make_folders = false) {
  std::vector<std::string> components = path_components(path);
  Handle at = open_at(AT_FDCWD, root.c_str(), kOpenFolder);
  if (!at) fail_errno("opening", files.full_name(""));
  std::string here;
  for (std::size_t i = 0; i + 1 < components.size(); ++i) {
    here = join_path(here, components[i]);
    const char* name = components[i].c_str();
    if (make_folders && ::mkdirat(at.get(), name, 0777) != 0 && errno != EEXIST) {
      fail_errno("making the folder", files.full_name(here));
    }
    Handle next = open_at(at.get(), name, kOpenFolder | O_NOFOLLOW);
    if (!next) fail_errno("opening the folder", files.full_name(here));
    at = std::move(next);
  }
  return {std::move(at), components.empty() ? "." : components.back()};
}

class PosixReadableFile : public ReadableFile {
 public:
  PosixReadableFile(Handle fd, std::uint64_t num_bytes, std::string name)
      : fd_(std::move(fd)), num_bytes_(num_bytes), name_(std::move(name)) {}

  std::uint64_t num_bytes() const override { return num_bytes_; }

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      ssize_t num_read = again_if_interrupted([&] {
        return ::pread(fd_.get(), out.data(), std::min<std::size_t>(out.size(), SSIZE_MAX),
                       static_cast<off_t>(offset));
      });
      if (num_read < 0) fail_errno(str("reading at byte ", offset, " of"), name_);
      if (num_read == 0) {
        fail(ErrorCode::data_loss, name_, ": ends at byte ", offset, ", ", out.size(),
             " bytes too early");
      }
      out = out.subspan(static_cast<std::size_t>(num_read));
      offset += static_cast<std::uint64_t>(num_read);
    }
  }

 private:
  Handle fd_;
  std::uint64_t num_bytes_;
  std::string name_;
};

class PosixWritableFile : public WritableFile {
 public:
  PosixWritableFile(Handle fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}

  void append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      ssize_t num_written =
          again_if_interrupted([&] { return ::write(fd_.get(), bytes.data(), bytes.size()); });
      if (num_written < 0) fail_errno(str("writing ", bytes.size(), " bytes to"), name_);
      bytes = bytes.subspan(static_cast<std::size_t>(num_written));
    }
  }
  void sync() override {
    if (again_if_interrupted([&] { return ::fsync(fd_.get()); }) != 0) fail_errno("syncing", name_);
  }
  void close() override {
    // Not tried again: on Linux the descriptor is gone even after EINTR.
    if (::close(fd_.release()) != 0 && errno != EINTR) fail_errno("closing", name_);
  }

 private:
  Handle fd_;
  std::string name_;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

FileKind kind_of(const dirent& entry, int folder) {
  if (entry.d_type == DT_REG) return FileKind::file;
  if (entry.d_type == DT_DIR) return FileKind::folder;
  if (entry.d_type != DT_UNKNOWN) return FileKind::other;
  struct stat status {};  // a file system that does not tell
  if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return FileKind::other;
  return kind_of(status.st_mode);
}

// With the folders above it; those made are on the disk when it returns.
void make_root(const std::filesystem::path& root, const std::string& name) {
  std::error_code error;
  std::filesystem::path first_there = std::filesystem::absolute(root, error).lexically_normal();
  std::vector<std::filesystem::path> changed;
  while (!std::filesystem::exists(first_there, error) && first_there.has_relative_path()) {
    first_there = first_there.parent_path();
    changed.push_back(first_there);
  }
  error.clear();
  std::filesystem::create_directories(root, error);
  if (error) fail_errno("making the folder", name, error.value());
  for (const std::filesystem::path& folder : changed) {
    Handle fd = open_at(AT_FDCWD, folder.c_str(), kOpenFolder);
    if (!fd || again_if_interrupted([&] { return ::fsync(fd.get()); }) != 0) {
      fail_errno("syncing the folder", folder.string());
    }
  }
}

}  // namespace

std::string PosixFileSystem::full_name(std::string_view path) const {
  return path.empty() ? root_.string() : (root_ / path).string();
}

std::optional<FileInfo> PosixFileSystem::find(std::string_view path) const {
  check_path(path);
  try {
    Place place = find_place(*this, root_, path);
    struct stat status {};
    if (::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      return FileInfo{kind_of(status.st_mode), static_cast<std::uint64_t>(status.st_size),
                      status.st_mtim.tv_sec};
    }
    fail_errno("asking for", full_name(path));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
  }
  return std::nullopt;
}

std::vector<FolderEntry> PosixFileSystem::list(std::string_view path) const {
  Place place = find_place(*this, root_, path);
  Handle fd = open_at(place.folder.get(), place.name.c_str(), kOpenFolder | O_NOFOLLOW);
  if (!fd) fail_errno("listing", full_name(path));
  std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(fd.get()));
  if (!folder) fail_errno("listing", full_name(path));
  int folder_fd = fd.release();  // the stream's now
  std::vector<FolderEntry> out;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back({name, kind_of(*entry, folder_fd)});
  }
  if (errno != 0) fail_errno("listing", full_name(path));
  std::ranges::sort(out, {}, &FolderEntry::name);
  return out;
}

std::unique_ptr<ReadableFile> PosixFileSystem::open(std::string_view path) const {
  Place place = find_place(*this, root_, path);
  // Without O_NONBLOCK a named pipe would wait for its other end.
  Handle fd = open_at(place.folder.get(), place.name.c_str(),
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) fail_errno("opening", full_name(path));
  MW_CHECK(S_ISREG(status.st_mode), full_name(path), ": is no plain file");
  return std::make_unique<PosixReadableFile>(
      std::move(fd), static_cast<std::uint64_t>(status.st_size), full_name(path));
}

std::unique_ptr<WritableFile> PosixFileSystem::create(std::string_view path) {
  MW_CHECK(!path.empty(), full_name(path), ": the root is a folder and cannot be written to");
  Place place = find_place(*this, root_, path);
  Handle fd = open_at(place.folder.get(), place.name.c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
  if (!fd) fail_errno("creating", full_name(path));
  return std::make_unique<PosixWritableFile>(std::move(fd), full_name(path));
}

void PosixFileSystem::make_folder(std::string_view path) {
  check_path(path);
  make_root(root_, full_name(""));
  if (path.empty()) return;
  Place place = find_place(*this, root_, path, /*make_folders=*/true);
  if (::mkdirat(place.folder.get(), place.name.c_str(), 0777) == 0) return;
  int reason = errno;
  std::optional<FileInfo> info = find(path);
  if (reason == EEXIST && info && info->kind == FileKind::folder) return;
  fail_errno("making the folder", full_name(path), reason);
}

void PosixFileSystem::rename(std::string_view from, std::string_view to) {
  MW_CHECK(!from.empty() && !to.empty(), full_name(""), ": the root cannot be renamed");
  Place source = find_place(*this, root_, from);
  Place target = find_place(*this, root_, to);
  if (::renameat(source.folder.get(), source.name.c_str(), target.folder.get(),
                 target.name.c_str()) != 0) {
    int reason = errno;
    fail_errno(str("renaming ", full_name(from), " to"), full_name(to), reason);
  }
}

void PosixFileSystem::remove(std::string_view path) {
  MW_CHECK(!path.empty(), full_name(""), ": the root is not removed");
  Place place = find_place(*this, root_, path);
  if (::unlinkat(place.folder.get(), place.name.c_str(), 0) == 0) return;
  if ((errno == EISDIR || errno == EPERM) &&
      ::unlinkat(place.folder.get(), place.name.c_str(), AT_REMOVEDIR) == 0) {
    return;
  }
  fail_errno("removing", full_name(path));
}

void PosixFileSystem::sync_folder(std::string_view path) {
  Place place = find_place(*this, root_, path);
  Handle fd = open_at(place.folder.get(), place.name.c_str(), kOpenFolder | O_NOFOLLOW);
  if (!fd || again_if_interrupted([&] { return ::fsync(fd.get()); }) != 0) {
    fail_errno("syncing the folder", full_name(path));
  }
}

}  // namespace meshwright::io
