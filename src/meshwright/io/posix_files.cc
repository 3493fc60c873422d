// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/posix_files.h"

#include <algorithm>
#include <climits>

#include <sys/file.h>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/io/pending_reads.h"
#include "meshwright/io/posix_error.h"

namespace meshwright::io {
namespace {

std::string_view described(mode_t mode) {
  if (S_ISREG(mode)) return "a plain file";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

[[noreturn]] void fail_because_of(std::string_view doing,
                                  const std::string& name,
                                  mode_t mode,
                                  Use use) {
  if (use == Use::read) {
    fail(ErrorCode::data_loss, doing, " ", name, ": it is ", described(mode),
         "; only plain files and folders are read");
  }
  fail(ErrorCode::invalid_argument, doing, " ", name, ": ", described(mode),
       " is in the way\nmove it away: only plain files and folders are used");
}

// Opening a device may have side effects, so the kind is checked before opening, and again
// afterwards since it may have changed.
Handle open_plain(std::string_view doing, const PosixName& at, int flags, Use use) {
  struct stat status {};
  if (::fstatat(at.folder, at.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(status.st_mode)) {
    fail_because_of(doing, at.full_name, status.st_mode, use);
  }
  Handle fd = open_at(at.folder, at.name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (!fd || ::fstat(fd.get(), &status) != 0) fail_at(doing, at, use, errno);
  if (!S_ISREG(status.st_mode)) fail_because_of(doing, at.full_name, status.st_mode, use);
  return fd;
}

std::uint64_t num_bytes_of(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail_errno("reading the size of", name);
  return static_cast<std::uint64_t>(status.st_size);
}

class PosixReadableFile : public ReadableFile {
 public:
  PosixReadableFile(Handle fd, std::string name)
      : fd_(std::move(fd)), num_bytes_(num_bytes_of(fd_.get(), name)), name_(std::move(name)) {}

  std::uint64_t num_bytes() const override { return num_bytes_; }

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    const ReadInProgress reading(name_, offset);
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

template <typename File>
class PosixWritableFile : public File {
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
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      ssize_t num_written = again_if_interrupted([&] {
        return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (num_written < 0) fail_errno(str("writing ", bytes.size(), " bytes to"), name_);
      bytes = bytes.subspan(static_cast<std::size_t>(num_written));
      offset += static_cast<std::uint64_t>(num_written);
    }
  }
  void sync() override {
    if (again_if_interrupted([&] { return ::fsync(fd_.get()); }) != 0) fail_errno("syncing", name_);
  }
  void close() override {
    // Never retried: on Linux the descriptor is closed even after EINTR.
    if (::close(fd_.release()) != 0 && errno != EINTR) fail_errno("closing", name_);
  }

 protected:
  Handle fd_;
  std::string name_;
};

class PosixAppendableFile : public PosixWritableFile<AppendableFile> {
 public:
  using PosixWritableFile::PosixWritableFile;

  std::uint64_t num_bytes() const override { return num_bytes_of(fd_.get(), name_); }
  void truncate(std::uint64_t num_bytes) override {
    const auto end = static_cast<off_t>(num_bytes);
    if (again_if_interrupted([&] { return ::ftruncate(fd_.get(), end); }) != 0)
      fail_errno("truncating", name_);
  }
};

class PosixLock : public FileLock {
 public:
  PosixLock(Handle folder, std::string name, Handle fd)
      : folder_(std::move(folder)), name_(std::move(name)), fd_(std::move(fd)) {}

  bool is_in_place() const override {
    struct stat named {
    }, held{};
    return ::fstatat(folder_.get(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ::fstat(fd_.get(), &held) == 0 && named.st_dev == held.st_dev &&
           named.st_ino == held.st_ino;
  }

 private:
  Handle folder_;
  std::string name_;
  Handle fd_;
};

}  // namespace

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::file;
  return S_ISDIR(mode) ? FileKind::folder : FileKind::other;
}

void fail_at(std::string_view doing, const PosixName& at, Use use, int reason) {
  struct stat status {};
  const bool is_of_kind =
      reason == ELOOP || reason == ENOTDIR || reason == ENXIO || reason == EISDIR;
  if (is_of_kind && ::fstatat(at.folder, at.name, &status, AT_SYMLINK_NOFOLLOW) == 0)
    fail_because_of(doing, at.full_name, status.st_mode, use);
  fail_errno(doing, at.full_name, reason);
}

std::unique_ptr<ReadableFile> open_readable(const PosixName& at) {
  const ReadInProgress opening(at.full_name, 0);
  return std::make_unique<PosixReadableFile>(open_plain("opening", at, O_RDONLY, Use::read),
                                             at.full_name);
}

std::unique_ptr<WritableFile> open_writable(const PosixName& at) {
  Handle fd = open_plain("creating", at, O_WRONLY | O_CREAT, Use::write);
  // O_TRUNC would truncate before the kind is known.
  if (num_bytes_of(fd.get(), at.full_name) > 0 &&
      again_if_interrupted([&] { return ::ftruncate(fd.get(), 0); }) != 0) {
    fail_errno("truncating", at.full_name);
  }
  return std::make_unique<PosixWritableFile<WritableFile>>(std::move(fd), at.full_name);
}

std::unique_ptr<WritableFile> open_to_update(const PosixName& at) {
  return std::make_unique<PosixWritableFile<WritableFile>>(
      open_plain("opening", at, O_WRONLY | O_CREAT, Use::write), at.full_name);
}

std::unique_ptr<AppendableFile> open_appendable(const PosixName& at) {
  return std::make_unique<PosixAppendableFile>(
      open_plain("opening", at, O_WRONLY | O_CREAT | O_APPEND, Use::write), at.full_name);
}

std::unique_ptr<FileLock> lock_file(const PosixName& at, std::string_view text) {
  while (true) {
    Handle fd = open_plain("locking", at, O_RDWR | O_CREAT, Use::write);
    if (again_if_interrupted([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno == EWOULDBLOCK) return nullptr;
      fail_errno("locking", at.full_name);
    }
    const int to_write = fd.get();
    auto out =
        std::make_unique<PosixLock>(open_at(at.folder, ".", kOpenFolder), at.name, std::move(fd));
    if (!out->is_in_place()) continue;  // removed by another process before it was locked
    // A full disk must not prevent holding the lock.
    if (::ftruncate(to_write, 0) != 0 || ::pwrite(to_write, text.data(), text.size(), 0) < 0)
      log_warning("writing ", at.full_name, ": ", std::generic_category().message(errno));
    return out;
  }
}

}  // namespace meshwright::io
