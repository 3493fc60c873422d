// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/base/error.h"
#include "meshwright/base/exit_code.h"

namespace meshwright::cli {

using meshwright::ExitCode;

/// Returns the exit code of a program that ends with such an error.
ExitCode exit_code_of(ErrorCode code);

/// Documentation of an exit code. docs/exit_codes.md has the same rows, with code in backticks.
struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
  std::string_view advice;  // for scripts
};
std::span<const ExitMeaning> exit_meanings();

/// How the program ends after an exception.
struct Failure {
  ExitCode exit_code = ExitCode::bug;
  /// The cause, then the remedy on separate lines; for a bug, instructions for reporting it.
  std::string message;
};
Failure describe_failure(const std::exception_ptr& failure);

}  // namespace meshwright::cli
