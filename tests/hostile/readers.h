// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "inputs.h"

namespace meshwright::hostile {

struct Reader {
  std::string name;
  std::function<void(const std::filesystem::path& folder)> read;
};

/// Returns all readers of inputs of this kind.
std::vector<Reader> readers_of(Kind kind);

/// Reads one input with every reader, each in a separate process. Returns the failure; empty if
/// none.
std::string try_input(Kind kind, std::uint64_t seed);

}  // namespace meshwright::hostile
