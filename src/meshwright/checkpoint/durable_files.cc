// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/durable_files.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "meshwright/base/error.h"

namespace meshwright::checkpoint {
namespace {

using std::filesystem::path;

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int number() const { return number_; }
  /// A failing close may be the report of a failed write.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::string space_on(const path& at) {
  struct statvfs info = {};
  if (statvfs(at.c_str(), &info) != 0) return "";
  return str(", and ", info.f_bavail * info.f_frsize, " are free");
}

[[noreturn]] void fail_writing(const path& file, std::size_t num_bytes) {
  int cause = errno;
  bool is_space = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
  fail(ErrorCode::unavailable, "writing ", file.string(), ": ", std::strerror(cause),
       is_space ? str(": it needs ", num_bytes, " bytes", space_on(file.parent_path())) : "");
}

void write_all(int number, std::span<const std::byte> bytes, const path& file) {
  std::size_t total = bytes.size();
  while (!bytes.empty()) {
    ssize_t done = ::write(number, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_writing(file, total);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

FileDescriptor open_to_read(const path& file) {
  int number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (number >= 0) return FileDescriptor(number);
  ErrorCode code =
      errno == ENOENT || errno == ELOOP ? ErrorCode::data_loss : ErrorCode::unavailable;
  fail(code, "opening ", file.string(), ": ", std::strerror(errno));
}

std::size_t size_of(const FileDescriptor& descriptor, const path& file) {
  struct stat info = {};
  if (fstat(descriptor.number(), &info) != 0)
    fail(ErrorCode::unavailable, "reading ", file.string(), ": ", std::strerror(errno));
  if (!S_ISREG(info.st_mode)) fail(ErrorCode::data_loss, file.string(), " is no file");
  return static_cast<std::size_t>(info.st_size);
}

void read_all(int number, std::span<std::byte> bytes, const path& file) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    ssize_t done = ::read(number, bytes.data() + at, bytes.size() - at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      fail(ErrorCode::unavailable, "reading ", file.string(), " at byte ", at, ": ",
           std::strerror(errno));
    }
    if (done == 0) fail(ErrorCode::data_loss, file.string(), " ends at byte ", at);
    at += static_cast<std::size_t>(done);
  }
}

}  // namespace

void write_file(const path& file, std::span<const std::byte> bytes) {
  FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (out.number() < 0) fail_writing(file, bytes.size());
  write_all(out.number(), bytes, file);
  if (fsync(out.number()) != 0 || !out.close()) fail_writing(file, bytes.size());
}

void sync_folder(const path& folder) {
  FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() < 0 || fsync(opened.number()) != 0) {
    fail(ErrorCode::unavailable, "syncing the folder ", folder.string(), ": ",
         std::strerror(errno));
  }
}

void rename_folder(const path& from, const path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail(ErrorCode::unavailable, "renaming ", from.string(), " to ", to.filename().string(), ": ",
         std::strerror(errno));
  }
  sync_folder(to.parent_path());
}

void read_file(const path& file, std::span<std::byte> bytes) {
  FileDescriptor in = open_to_read(file);
  std::size_t size = size_of(in, file);
  if (size != bytes.size()) {
    fail(ErrorCode::data_loss, file.string(), " has ", size, " bytes, and not ", bytes.size());
  }
  read_all(in.number(), bytes, file);
}

std::string read_text(const path& file, std::size_t max_bytes) {
  FileDescriptor in = open_to_read(file);
  std::size_t size = size_of(in, file);
  if (size > max_bytes)
    fail(ErrorCode::data_loss, file.string(), " has ", size, " bytes, which is too many");
  std::string text(size, '\0');
  read_all(in.number(), std::as_writable_bytes(std::span(text)), file);
  return text;
}

}  // namespace meshwright::checkpoint
