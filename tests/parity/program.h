// SPDX-License-Identifier: Apache-2.0
// The main function of programs whose results a script compares with a peer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manifest.h"

namespace meshwright::parity {

/// Request of the script.
struct Request {
  std::filesystem::path folder;  ///< destination of the results
  std::string part;              ///< substring of the names of the requested records
  std::uint64_t seed = 0;

  bool wants(std::string_view name) const { return name.find(part) != std::string_view::npos; }
};

/// `PROGRAM FOLDER [PART_OF_NAME [SEED]]`: writes the manifest of the records that `make_records`
/// returns. Returns the exit status; prints errors to stderr.
int run_program(int argc, char** argv, std::vector<Record> (*make_records)(const Request&));

}  // namespace meshwright::parity
