// SPDX-License-Identifier: Apache-2.0
// The whole program, modified to kill itself with SIGKILL at a given call that changes files. The
// linker puts these functions in place of the system's (--wrap), so the program itself is
// unchanged.
//     MW_KILL_BELOW=FOLDER   count only calls that concern this folder or its contents
//     MW_KILL_AT_CALL=N      end the process before call N takes effect, counted from 1; a write is
//                            half done
// Without MW_KILL_AT_CALL, prints "file calls: COUNT" to standard error at the end.
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/dispatch.h"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names of the linker's
extern "C" {
int __real_openat(int folder, const char* name, int flags, ...);
ssize_t __real_write(int file, const void* bytes, size_t num_bytes);
int __real_fsync(int file);
int __real_mkdirat(int folder, const char* name, mode_t mode);
int __real_renameat(int from_folder, const char* from, int to_folder, const char* to);
int __real_unlinkat(int folder, const char* name, int flags);
}

namespace {

std::atomic<long> num_calls = 0;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_counted(int file) {
  static const std::string below = environment("MW_KILL_BELOW");
  if (below.empty()) return false;
  char path[PATH_MAX];
  ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  return size > 0 && std::string_view(path, static_cast<size_t>(size)).starts_with(below);
}

// True if this call, on an open file or folder, is the last one.
bool is_last(int file) {
  static const long last = std::atol(environment("MW_KILL_AT_CALL").c_str());
  return is_counted(file) && ++num_calls == last;
}

[[noreturn]] void end() {
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

void end_if_last(int file) {
  if (is_last(file)) end();
}

void tell_count() {
  std::fprintf(stderr, "file calls: %ld\n", num_calls.load());
}

}  // namespace

extern "C" {

int __wrap_openat(int folder, const char* name, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0) end_if_last(folder);
  return __real_openat(folder, name, flags, mode);
}

ssize_t __wrap_write(int file, const void* bytes, size_t num_bytes) {
  if (!is_last(file)) return __real_write(file, bytes, num_bytes);
  (void)!__real_write(file, bytes, num_bytes / 2);
  end();
}

int __wrap_fsync(int file) {
  end_if_last(file);
  return __real_fsync(file);
}

int __wrap_mkdirat(int folder, const char* name, mode_t mode) {
  end_if_last(folder);
  return __real_mkdirat(folder, name, mode);
}

int __wrap_renameat(int from_folder, const char* from, int to_folder, const char* to) {
  end_if_last(to_folder);
  return __real_renameat(from_folder, from, to_folder, to);
}

int __wrap_unlinkat(int folder, const char* name, int flags) {
  end_if_last(folder);
  return __real_unlinkat(folder, name, flags);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

int main(int argc, char** argv) {
  if (environment("MW_KILL_AT_CALL").empty()) std::atexit(tell_count);
  return meshwright::cli::dispatch({argv + 1, argv + argc}, meshwright::cli::commands());
}
