// SPDX-License-Identifier: Apache-2.0
// Not for other folders.
#pragma once

#include <string>

namespace meshwright::pjrt {

/// What is wrong with a file that is to be loaded as a shared library, as "is truncated: ...";
/// empty if nothing is. The dynamic loader does not notice a missing end: the process would die of
/// SIGBUS later.
std::string library_fault(const std::string& path);

}  // namespace meshwright::pjrt
