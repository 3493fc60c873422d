// SPDX-License-Identifier: Apache-2.0
// Malicious files: sparse, of huge shapes, deeply nested, with long and many names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>

namespace meshwright::hostile {

using Random = std::mt19937_64;

/// Type of an input.
enum class Kind { json, toml, proto, codec, metrics, cache, zarr2, zarr3, native, axlearn, seqax };
inline constexpr int kNumKinds = 11;

std::string to_string(Kind kind);

/// Creates an input in an empty folder: a file "input" for texts and bytes, otherwise an array or a
/// run. Deterministic for a seed.
void make_input(Kind kind, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace meshwright::hostile
