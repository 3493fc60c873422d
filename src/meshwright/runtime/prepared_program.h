// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/: a traced program and all that its compilation depends on.
#pragma once

#include <string>
#include <string_view>

#include "meshwright/graph/core/program.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/pjrt/compile_options.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {

struct PreparedProgram {
  graph::Program placed;  // with a layout for each argument and result, and with kernels
  pjrt::CompileOptions options;
  graph::WriteOptions writing = {};

  /// Returns the text without source locations, which identifies the program.
  std::string key_text() const;
  std::string full_text() const;
};

/// Chooses layouts and kernels. Logs warnings and, at verbosity 1, the choices.
PreparedProgram prepare(const graph::Program& program,
                        std::string_view platform,
                        const CompileOptions& options);

}  // namespace meshwright::runtime
