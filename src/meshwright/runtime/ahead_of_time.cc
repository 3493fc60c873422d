// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/ahead_of_time.h"

#include "meshwright/runtime/build_target.h"
#include "meshwright/runtime/platform_flags.h"

namespace meshwright::runtime {

AheadOfTimeProgram compile_ahead(
    const ProgramText& program,
    const BuildTarget& target,
    const std::function<pjrt::Executable(const std::string&, const pjrt::CompileOptions&)>&
        compile) {
  AheadOfTimeProgram out{
      .key = program_key(target, program.key_text, program.options, program.kernels)};
  with_platform_flags(target.platform, program.options, [&](const pjrt::CompileOptions& flagged) {
    const pjrt::Executable executable = compile(program.full_text, flagged);
    out.serialized = executable.serialize();
    out.memory = executable.memory_stats();
    out.costs = executable.costs();
    out.optimized_program = executable.optimized_program().code;
  });
  return out;
}

}  // namespace meshwright::runtime
