// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::runtime {

/// Returns the features of the processor as the operating system lists them, such as "fpu vme ...
/// avx512f"; empty if unknown. A program compiled for one set of features may not run with another.
std::string cpu_features();

}  // namespace meshwright::runtime
