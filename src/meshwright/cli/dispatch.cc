// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/dispatch.h"

#include <exception>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/cli/complete.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/version.h"

namespace meshwright::cli {
namespace {

int run(const Args& args, const CommandGroup& program) {
  if (!args.empty() && args[0] == version_option().name) {
    std::cout << full_version() << "\n";
    return static_cast<int>(ExitCode::done);
  }
  if (!args.empty() && args[0] == kCompleteCommand)
    return print_completion(program, {args.begin() + 1, args.end()});
  return run_group("", program, args);
}

[[noreturn]] void fail_to_print() {
  const int mode = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
    fail(ErrorCode::invalid_argument, "stdout is closed, so the result cannot be printed");
  fail(ErrorCode::unavailable, "writing to stdout failed\nis the disk full?");
}

}  // namespace

int dispatch(const Args& args, const CommandGroup& program) {
  try {
    const int code = run(args, program);
    std::cout.flush();
    if (!std::cout) fail_to_print();
    return code;
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    std::cout.flush();
    std::cerr << "meshwright: " << failure.message << "\n";
    return static_cast<int>(failure.exit_code);
  }
}

}  // namespace meshwright::cli
