// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/pjrt/compile_options.h"
#include "meshwright/pjrt/executable.h"

namespace meshwright::runtime {

/// A program compiled for machines that may not be this one.
struct AheadOfTimeProgram {
  std::string serialized;  // see program_bundle.h
  std::string key;         // see program_key()
  std::optional<pjrt::CompiledMemoryStats> memory;
  /// The plugin's estimates by name, such as "flops", "bytes accessed" and "optimal_seconds".
  std::map<std::string, double> costs;
  std::vector<graph::KernelChoice> kernel_choices;
  std::string optimized_program;  // see Executable::optimized_program
};

struct BuildTarget;

/// The text of a program, and what its compilation depends on.
struct ProgramText {
  std::string key_text;  // without source locations
  std::string full_text;
  pjrt::CompileOptions options;
  std::map<std::string, int> kernels;  // names and ABI versions
};

/// Used by Client and Topology: compiles with `compile`, which takes text and options.
AheadOfTimeProgram compile_ahead(
    const ProgramText& program,
    const BuildTarget& target,
    const std::function<pjrt::Executable(const std::string&, const pjrt::CompileOptions&)>&
        compile);

}  // namespace meshwright::runtime
