// SPDX-License-Identifier: Apache-2.0
// Reading checkpoints to say something about them, in memory that does not grow with what their
// files declare.
#pragma once

#include <cstdint>
#include <functional>

#include "meshwright/checkpoint/byte_budget.h"
#include "meshwright/checkpoint/stored.h"

namespace meshwright::checkpoint {

/// What stored pieces may take in memory together, in the whole process. One piece that needs more
/// is read while no other one is.
inline constexpr std::uint64_t kInspectionBytes = std::uint64_t{256} << 20;
/// Larger chunks, decoded, are refused.
inline constexpr std::uint64_t kMaxInspectedChunkBytes = std::uint64_t{2} << 30;

/// The one of the process.
ByteBudget& inspection_budget();

/// Decoded. Throws unimplemented if it is more than kMaxInspectedChunkBytes.
std::uint64_t inspected_chunk_bytes(const StoredArray& array);

/// Calls work(index) for 0 to count - 1, in any order, on several threads; each call holds so many
/// bytes of the budget. Throws the first error, after which no further call begins.
void inspect_each(std::int64_t count,
                  std::uint64_t bytes_each,
                  int max_threads,
                  const std::function<void(std::int64_t index)>& work);

}  // namespace meshwright::checkpoint
