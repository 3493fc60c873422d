// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

/// A small state whose values depend on the step: a matrix in two halves, one in four quarters, a
/// vector of bf16, a scalar, and small values of every kind.
Contents sample_contents(std::int64_t step);

/// One line for each array and value: "model/w f32[2,4] 1 2 3". Equal for equal contents, however
/// they are cut.
std::string digest(const Contents& contents);

/// Takes from a step in another system's format what only this program leaves there, as that system
/// itself would have written it.
void make_foreign(io::FileSystem& files, const std::string& folder);

}  // namespace meshwright::checkpoint
