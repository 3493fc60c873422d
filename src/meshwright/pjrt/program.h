// SPDX-License-Identifier: Apache-2.0
// Not for other folders.
#pragma once

#include <string_view>

#include "meshwright/pjrt/c/executable.h"

namespace meshwright::pjrt {

/// A view of StableHLO text or bytecode, which must outlive it.
inline c::Program stablehlo_program(std::string_view code) {
  static constexpr std::string_view kFormat = "mlir";
  c::Program program;
  program.code = const_cast<char*>(code.data());  // plugins only read it
  program.code_size = code.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  return program;
}

}  // namespace meshwright::pjrt
