// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/base/error_with_remedy.h"

namespace meshwright::cli {

/// Returns the way to apply a remedy from the command line: "--fresh", "checkpoint.format=axlearn".
std::string in_program(const Remedy& remedy);

/// Returns the message of an error, with its remedy, if any, in the program's words.
std::string message_in_program(const Error& error);

}  // namespace meshwright::cli
