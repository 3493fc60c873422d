// SPDX-License-Identifier: Apache-2.0
// The main function of the programs whose results a script holds against a peer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manifest.h"

namespace meshwright::parity {

/// What the script asks for.
struct Request {
  std::filesystem::path folder;  ///< where the results go
  std::string part;              ///< of the names of the records wanted
  std::uint64_t seed = 0;

  bool wants(std::string_view name) const { return name.find(part) != std::string_view::npos; }
};

/// `PROGRAM FOLDER [PART_OF_NAME [SEED]]`: writes the manifest of what `make_records` returns.
/// Gives the exit status; says what went wrong on stderr.
int run_program(int argc, char** argv, std::vector<Record> (*make_records)(const Request&));

}  // namespace meshwright::parity
