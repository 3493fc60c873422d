// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/last_use.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace meshwright::data {

void note_use(const std::filesystem::path& path) {
  static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, 0));
}

std::int64_t last_use_seconds(const std::filesystem::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? std::int64_t{info.st_mtim.tv_sec} : 0;
}

}  // namespace meshwright::data
