// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::cli {

/// Throws already_exists if there is something at the path that a command would write, unless
/// `force`.
void check_output(const std::string& command, const std::string& path, bool force);

}  // namespace meshwright::cli
