// SPDX-License-Identifier: Apache-2.0
// Files as nobody writes them by mistake: sparse, of huge shapes, deep, with long and many names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>

namespace meshwright::hostile {

using Random = std::mt19937_64;

/// What an input is for.
enum class Kind { json, toml, proto, codec, metrics, cache, zarr2, zarr3, native, axlearn, seqax };
inline constexpr int kNumKinds = 11;

std::string to_string(Kind kind);

/// Makes one in a folder that is empty: "input" for texts and bytes, otherwise an array or a run.
/// The same for the same seed.
void make_input(Kind kind, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace meshwright::hostile
