// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/user_file.h"

#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include "meshwright/io/pending_reads.h"
#include "meshwright/io/posix_error.h"
#include "meshwright/io/posix_files.h"

namespace meshwright::io {

UserFileInfo user_file_info(const std::string& path) {
  const ReadInProgress reading(path, 0);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_errno("opening", path);
  return {.kind = kind_of(status.st_mode),
          .num_bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_nanoseconds =
              std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::unique_ptr<ReadableFile> open_user_file(const std::string& path) {
  std::error_code error;
  const std::string target = std::filesystem::canonical(path, error).string();
  if (error) fail_errno("opening", path, error.value());
  return open_readable({.folder = AT_FDCWD, .name = target.c_str(), .full_name = path});
}

}  // namespace meshwright::io
