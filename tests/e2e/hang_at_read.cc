// SPDX-License-Identifier: Apache-2.0
// The whole program, modified to hang when it reads a given file. The linker puts this function in
// place of the system's pread (--wrap), so the program itself is unchanged.
//     MW_HANG_FILE=NAME   hang when a file whose path ends with NAME is read
//     MW_HANG_AFTER=N     but only after N reads of such files
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/dispatch.h"

namespace {

std::atomic<long> num_reads = 0;

bool hangs(int file) {
  static const char* const name = std::getenv("MW_HANG_FILE");
  static const char* const after = std::getenv("MW_HANG_AFTER");
  if (name == nullptr) return false;
  char path[PATH_MAX];
  const ssize_t size =
      ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  if (size <= 0 || !std::string_view(path, static_cast<size_t>(size)).ends_with(name)) return false;
  return ++num_reads > (after == nullptr ? 0 : std::atol(after));
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names of the linker's
extern "C" {
ssize_t __real_pread(int file, void* out, size_t num_bytes, off_t offset);

ssize_t __wrap_pread(int file, void* out, size_t num_bytes, off_t offset) {
  if (hangs(file)) {
    std::fputs("hanging\n", stderr);
    while (true)
      ::pause();
  }
  return __real_pread(file, out, num_bytes, offset);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

int main(int argc, char** argv) {
  return meshwright::cli::dispatch({argv + 1, argv + argc}, meshwright::cli::commands());
}
