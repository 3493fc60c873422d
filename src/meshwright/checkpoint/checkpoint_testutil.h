// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

/// Returns a small state whose values depend on the step: a matrix in two halves, another in four
/// quarters, a bf16 vector, a scalar, and small values of every kind.
Contents sample_contents(std::int64_t step);

/// Returns one line per array and value: "model/w f32[2,4] 1 2 3". Equal contents give equal
/// digests, however they are split into parts.
std::string digest(const Contents& contents);

/// Makes a step in another system's format look as that system would have written it, by removing
/// Meshwright's additions.
void make_foreign(io::FileSystem& files, const std::string& folder);

}  // namespace meshwright::checkpoint
