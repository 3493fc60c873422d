// SPDX-License-Identifier: Apache-2.0
// Internal to pjrt/.
#pragma once

#include <string>

namespace meshwright::pjrt {

/// Returns why a file cannot be loaded as a shared library, as "is truncated: ..."; empty if it
/// can. The dynamic loader does not detect truncation: the process would later die of SIGBUS.
std::string library_fault(const std::string& path);

}  // namespace meshwright::pjrt
