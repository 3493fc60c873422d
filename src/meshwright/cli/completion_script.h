// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace meshwright::cli {

/// "bash", "fish", "zsh".
std::vector<std::string> completion_shells();

/// A script that makes the shell complete the command `program`, by asking it (complete.h). Throws
/// invalid_argument for a name that no shell can register.
std::string completion_script(const std::string& shell, const std::string& program);

}  // namespace meshwright::cli
