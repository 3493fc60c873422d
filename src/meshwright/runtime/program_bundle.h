// SPDX-License-Identifier: Apache-2.0
// Compiled programs in a file, for a run on other machines.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/runtime/build_target.h"

namespace meshwright::runtime {

struct BundledProgram {
  std::string name;  // such as "step"
  std::string key;   // see program_key()
  std::string executable;
};

/// The file contains machine code: like a program, it should come from somebody you trust.
struct ProgramBundle {
  std::string topology;  // its name; empty for the machine that compiled the programs
  BuildTarget target;
  std::string config;  // TOML, from which the programs were traced
  std::vector<BundledProgram> programs;

  /// Returns nullptr if there is none.
  const BundledProgram* find(std::string_view key) const;
};

/// Writes the bundle to a new file. Throws already_exists if there is something at `path`.
void write_bundle(const std::string& path, const ProgramBundle& bundle);

/// Throws not_found, or data_loss, naming the file, if it is not a complete bundle.
ProgramBundle read_bundle(const std::string& path);
/// As above, with the bytes of the file; `path` names them in messages.
ProgramBundle parse_bundle(std::string_view bytes, const std::string& path);

}  // namespace meshwright::runtime
