// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

/// Returns the values of the s32 array at `path`.
std::vector<std::int32_t> ints(const Batch& batch, std::string_view path);

bool is_same(const Batch& a, const Batch& b);

/// Expects the first batches to match the spec, to be reproducible in any order, and to be the same
/// when read in parts.
void expect_pure(const Source& source, std::int64_t num_batches);

/// Matches a function that throws an Error containing `text`.
inline auto throws_with(const char* text) {
  return ::testing::ThrowsMessage<Error>(::testing::HasSubstr(text));
}

}  // namespace meshwright::data
