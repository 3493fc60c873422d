// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/posix_root.h"

#include <system_error>
#include <vector>

#include <sys/stat.h>

#include "meshwright/base/error.h"
#include "meshwright/io/posix_error.h"

namespace meshwright::io {
namespace {

namespace fs = std::filesystem;

// Creates the folder and its parents, and syncs those it created.
void make_durably(const fs::path& root) {
  std::error_code error;
  fs::path first_there = fs::absolute(root, error).lexically_normal();
  std::vector<fs::path> changed;
  while (!fs::exists(first_there, error) && first_there.has_relative_path()) {
    first_there = first_there.parent_path();
    changed.push_back(first_there);
  }
  error.clear();
  fs::create_directories(root, error);
  if (error) fail_errno("creating the folder", root.string(), error.value());
  for (const fs::path& folder : changed) {
    Handle fd = open_at(AT_FDCWD, folder.c_str(), kOpenFolder);
    if (!fd || again_if_interrupted([&] { return ::fsync(fd.get()); }) != 0)
      fail_errno("syncing the folder", folder.string());
  }
}

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Returns the kernel's name for an open folder; empty without /proc.
std::string name_of_descriptor(int fd) {
  std::error_code error;
  return fs::read_symlink(str("/proc/self/fd/", fd), error).string();
}

}  // namespace

PosixRoot::PosixRoot(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  absolute_ = fs::absolute(path_, error);
}

PosixRoot::PosixRoot(PosixRoot&& other) noexcept
    : path_(std::move(other.path_)),
      absolute_(std::move(other.absolute_)),
      held_(std::move(other.held_)) {}

PosixRoot PosixRoot::held(fs::path path) {
  make_durably(path);
  PosixRoot out(std::move(path));
  out.held_ = open_at(AT_FDCWD, out.path_.c_str(), kOpenFolder);
  if (!out.held_) fail_errno("opening", out.path_.string());
  return out;
}

Handle PosixRoot::open() const {
  Handle out = held_ ? open_at(held_.get(), ".", kOpenFolder)
                     : open_at(AT_FDCWD, path_.c_str(), kOpenFolder);
  if (!out) fail_errno("opening", name().string());
  return out;
}

void PosixRoot::make() const {
  if (!held_) make_durably(path_);
}

fs::path PosixRoot::name() const {
  std::lock_guard lock(mutex_);
  return now_at_.empty() ? path_ : now_at_;
}

RootState PosixRoot::state() const {
  RootState out = find_state();
  std::lock_guard lock(mutex_);
  now_at_ = out.now_at;
  return out;
}

RootState PosixRoot::find_state() const {
  using Kind = RootState::Kind;
  struct stat named {
  }, held{};
  const bool is_there = ::stat(absolute_.c_str(), &named) == 0;
  const int reason = is_there ? 0 : errno;
  if (!held_) return {is_there ? Kind::in_place : Kind::removed};
  if (::fstat(held_.get(), &held) != 0) fail_errno("looking up", path_.string());
  if (is_there && is_same(named, held)) return {};
  const std::string now_at = name_of_descriptor(held_.get());
  struct stat moved {};
  if (!now_at.empty() && ::stat(now_at.c_str(), &moved) == 0 && is_same(moved, held))
    return {Kind::moved, now_at, is_there};
  if (held.st_nlink == 0 || now_at.ends_with(" (deleted)"))
    return {is_there ? Kind::replaced : Kind::removed, "", is_there};
  // A failed lookup proves nothing: a network server may be down.
  if (!is_there && reason != ENOENT && reason != ENOTDIR) return {};
  return {Kind::moved, "", is_there};
}

}  // namespace meshwright::io
