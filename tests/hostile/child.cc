// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MW_IS_SANITIZED 1
#else
#define MW_IS_SANITIZED 0
#endif

namespace meshwright::hostile {
namespace {

enum Ending { was_fine = 0, out_of_memory = 3, other_exception = 4 };

void limit(decltype(RLIMIT_CPU) what, std::uint64_t most) {
  const rlimit limits{most, most};
  if (::setrlimit(what, &limits) != 0) std::abort();
}

// A sanitizer needs terabytes of address space, and several times the memory and time.
void set_limits() {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, MW_IS_SANITIZED ? 20 * kMaxSeconds : kMaxSeconds);
  if (!MW_IS_SANITIZED) limit(RLIMIT_AS, std::uint64_t{6} << 30);
}

[[noreturn]] void run(const std::function<void()>& read) {
  set_limits();
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::abort();
  if (std::freopen("/dev/null", "w", stderr) == nullptr) std::abort();
  Ending ending = was_fine;
  try {
    read();
  } catch (const Error&) {
  } catch (const std::bad_alloc&) {
    ending = out_of_memory;
  } catch (const std::exception&) {
    ending = other_exception;
  }
  ::_exit(ending);
}

std::uint64_t resident_now() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

}  // namespace

bool limits_memory() {
  return !MW_IS_SANITIZED;
}

std::string trouble_of(const std::function<void()>& read) {
  const std::uint64_t before = resident_now();
  const pid_t child = ::fork();
  if (child < 0) return "no process";
  if (child == 0) run(read);
  int status = 0;
  rusage usage = {};
  while (::wait4(child, &status, 0, &usage) < 0) {
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGXCPU || signal == SIGKILL ? str("took more than ", kMaxSeconds, " seconds")
                                                  : str("killed by signal ", signal);
  }
  if (WEXITSTATUS(status) == out_of_memory) return "out of memory";
  if (WEXITSTATUS(status) == other_exception) return "threw an exception other than Error";
  if (WEXITSTATUS(status) != was_fine) return str("ended with ", WEXITSTATUS(status));
  const std::uint64_t most = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
  if (!MW_IS_SANITIZED && most > before + kMaxAddedBytes)
    return str("took ", (most - before) >> 20, " MiB of memory");
  return "";
}

}  // namespace meshwright::hostile
