// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright::cli {

/// What the process returns; scripts and schedulers rely on these. See docs/exit_codes.md.
enum class ExitCode : int {
  done = 0,
  no = 1,  // the answer of diff, verify and bench
  usage = 2,
  data = 3,
  no_checkpoint = 4,
  numerics = 5,
  device = 6,
  bug = 70,
  retry = 75,
  hung_up = 129,  // as shells report SIGHUP, SIGINT and SIGTERM, but after saving
  interrupted = 130,
  preempted = 143,
  out_of_cpu_time = 152,  // SIGXCPU
};

ExitCode exit_code_of(ErrorCode code);

/// An exit code for people. docs/exit_codes.md has the same rows, with code in backticks.
struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
  std::string_view advice;  // to scripts
};
std::span<const ExitMeaning> exit_meanings();

/// How the program ends because of an exception.
struct Failure {
  ExitCode exit_code = ExitCode::bug;
  /// Cause first, then a line with the remedy where one is known; for a bug of ours, what to
  /// report.
  std::string message;
};
Failure describe_failure(const std::exception_ptr& failure);

}  // namespace meshwright::cli
