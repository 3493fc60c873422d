// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::runtime {

/// Returns the instruction sets of the processor as listed by the kernel, "fpu vme ... avx512f";
/// empty if unknown. A program compiled for one set may not run on another.
std::string cpu_features();

}  // namespace meshwright::runtime
