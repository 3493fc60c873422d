// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::runtime {

/// The instruction sets of this machine's processor as the kernel lists them, "fpu vme ...
/// avx512f". A program compiled for one set may not run on another. Empty if the kernel does not
/// tell.
std::string cpu_features();

}  // namespace meshwright::runtime
