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

/// All that read inputs of this kind.
std::vector<Reader> readers_of(Kind kind);

/// Reads one input in every way, each in a process of its own. Returns what went wrong, or nothing.
std::string try_input(Kind kind, std::uint64_t seed);

}  // namespace meshwright::hostile
