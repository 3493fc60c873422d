// SPDX-License-Identifier: Apache-2.0
// Internal to pjrt/.
#pragma once

#include <string_view>

#include "meshwright/pjrt/c/executable.h"
#include "meshwright/pjrt/compile_options.h"

namespace meshwright::pjrt {

/// Returns a view of StableHLO (text or bytecode) or HLO code, which must outlive the view.
inline c::Program program_view(std::string_view code, ProgramFormat format) {
  const std::string_view name = format == ProgramFormat::stablehlo ? "mlir" : "hlo";
  c::Program program;
  program.code = const_cast<char*>(code.data());  // plugins only read it
  program.code_size = code.size();
  program.format = name.data();
  program.format_size = name.size();
  return program;
}

}  // namespace meshwright::pjrt
