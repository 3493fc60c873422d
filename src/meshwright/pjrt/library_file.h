// SPDX-License-Identifier: Apache-2.0
// Internal to pjrt/.
#pragma once

#include <string>

namespace meshwright::pjrt {

/// Returns the reason why a file cannot be loaded as a shared library, such as "is truncated: ...";
/// empty if it can. The dynamic loader does not detect truncation, so the process would later die
/// of SIGBUS.
std::string library_fault(const std::string& path);

}  // namespace meshwright::pjrt
