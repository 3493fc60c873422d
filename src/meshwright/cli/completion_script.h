// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace meshwright::cli {

/// Returns "bash", "fish" and "zsh".
std::vector<std::string> completion_shells();

/// Returns a script that lets the shell complete the command `program` by calling it (complete.h).
/// Throws invalid_argument for a program name that no shell can register.
std::string completion_script(const std::string& shell, const std::string& program);

}  // namespace meshwright::cli
