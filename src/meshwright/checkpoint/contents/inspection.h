// SPDX-License-Identifier: Apache-2.0
// Limits for commands that inspect checkpoints, so that memory use does not grow with the sizes
// that files declare.
#pragma once

#include <cstdint>
#include <functional>

#include "meshwright/checkpoint/contents/byte_budget.h"
#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::checkpoint {

/// Memory for chunks in the whole process. A chunk that needs more is read by itself.
inline constexpr std::uint64_t kInspectionBytes = std::uint64_t{256} << 20;
/// Larger decoded chunks are rejected.
inline constexpr std::uint64_t kMaxInspectedChunkBytes = std::uint64_t{2} << 30;

/// Returns the budget of this process.
ByteBudget& inspection_budget();

/// Returns the size of a decoded chunk. Throws unimplemented if it exceeds kMaxInspectedChunkBytes.
std::uint64_t inspected_chunk_bytes(const StoredArray& array);

/// Calls work(index) for 0 to count - 1, in any order, on several threads. Each call holds
/// `bytes_each` of the budget. Rethrows the first error; no call starts after it.
void inspect_each(std::int64_t count,
                  std::uint64_t bytes_each,
                  int max_threads,
                  const std::function<void(std::int64_t index)>& work);

}  // namespace meshwright::checkpoint
