// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright::cli {

/// Exit codes of the process. Scripts and schedulers rely on them: docs/exit_codes.md.
enum class ExitCode : int {
  done = 0,
  no = 1,  // diff, verify and bench found something
  usage = 2,
  data = 3,
  no_checkpoint = 4,
  numerics = 5,
  device = 6,
  bug = 70,
  retry = 75,
  hung_up = 129,  // 128 + signal, as in shells, but after saving
  interrupted = 130,
  preempted = 143,
  out_of_cpu_time = 152,  // SIGXCPU
};

ExitCode exit_code_of(ErrorCode code);

/// The documentation of an exit code. docs/exit_codes.md has the same rows, with code in backticks.
struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
  std::string_view advice;  // for scripts
};
std::span<const ExitMeaning> exit_meanings();

/// How the program ends after an exception.
struct Failure {
  ExitCode exit_code = ExitCode::bug;
  /// The cause, then the remedy on lines of its own; for a bug, what to report.
  std::string message;
};
Failure describe_failure(const std::exception_ptr& failure);

}  // namespace meshwright::cli
