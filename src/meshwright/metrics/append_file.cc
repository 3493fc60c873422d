// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/append_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/base/error.h"

namespace meshwright::metrics {
namespace {

[[noreturn]] void fail_with(int reason, std::string_view what, const std::filesystem::path& path) {
  const bool is_full = reason == ENOSPC || reason == EDQUOT;
  fail(ErrorCode::unavailable, "cannot ", what, " '", path.string(),
       "': ", std::generic_category().message(reason), is_full ? "\nremedy: free some space" : "");
}

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) fail_with(error.value(), "make the folder of", path);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail_with(errno, "open", path);
  struct stat info {};
  if (::fstat(file_, &info) == 0) num_bytes_ = info.st_size;
}

AppendFile::~AppendFile() {
  ::close(file_);
}

void AppendFile::append(std::string_view record) {
  std::string_view rest = record;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      const int reason = errno;
      const bool is_cut = rest.size() == record.size() || ::ftruncate(file_, num_bytes_) == 0;
      fail_with(reason, is_cut ? "write" : "write, and now there is a part of a record in,", path_);
    }
  }
  num_bytes_ += std::ssize(record);
}

bool AppendFile::ends_with(char last) const {
  char found = 0;
  return num_bytes_ > 0 && ::pread(file_, &found, 1, num_bytes_ - 1) == 1 && found == last;
}

}  // namespace meshwright::metrics
