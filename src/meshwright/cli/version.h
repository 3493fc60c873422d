// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::cli {

/// Returns text such as "0.1.0".
std::string version_number();

/// Returns text such as "meshwright 0.1.0 (commit 1234567890ab)".
std::string version_line();

/// Returns version_line(), then one line for each PJRT plugin that a run could use.
std::string full_version();

}  // namespace meshwright::cli
