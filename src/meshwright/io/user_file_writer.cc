// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/user_file_writer.h"

#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/posix_error.h"

namespace meshwright::io {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

void check_is_free(const std::string& path) {
  struct stat ignored {};
  if (::lstat(path.c_str(), &ignored) == 0)
    fail(ErrorCode::already_exists, "writing ", path, ": it exists already");
}

void write_all(int file, const std::string& name, std::string_view bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t num_written =
        again_if_interrupted([&] { return ::pwrite(file, bytes.data(), bytes.size(), offset); });
    if (num_written < 0) fail_errno("writing to", name);
    bytes.remove_prefix(static_cast<std::size_t>(num_written));
    offset += num_written;
  }
}

void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  const Handle opened = open_at(AT_FDCWD, folder.c_str(), kOpenFolder);
  if (!opened || ::fsync(opened.get()) != 0) fail_errno("syncing", folder);
}

}  // namespace

UserFileWriter::UserFileWriter(std::string path) : path_(std::move(path)) {
  check_is_free(path_);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  file_ = open_at(AT_FDCWD, partial().c_str(), kFlags);
  if (!file_) fail_errno("creating", partial());
}

UserFileWriter::~UserFileWriter() {
  if (file_) ::unlink(partial().c_str());
}

void UserFileWriter::append(std::span<const std::byte> bytes) {
  buffer_ += as_text(bytes);
  num_bytes_ += bytes.size();
  if (buffer_.size() >= kBufferBytes) write_buffer();
}

void UserFileWriter::write_buffer() {
  const std::uint64_t offset = num_bytes_ - buffer_.size();
  write_all(file_.get(), partial(), buffer_, static_cast<off_t>(offset));
  buffer_.clear();
}

void UserFileWriter::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  write_buffer();
  write_all(file_.get(), partial(), as_text(bytes), static_cast<off_t>(offset));
}

void UserFileWriter::sync() {
  write_buffer();
  if (again_if_interrupted([&] { return ::fsync(file_.get()); }) != 0)
    fail_errno("syncing", partial());
}

void UserFileWriter::publish() {
  sync();
  check_is_free(path_);
  if (::rename(partial().c_str(), path_.c_str()) != 0) fail_errno("renaming", partial());
  const Handle closed = std::move(file_);
  sync_folder_of(path_);
}

}  // namespace meshwright::io
