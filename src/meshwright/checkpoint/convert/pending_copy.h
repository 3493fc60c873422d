// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "meshwright/checkpoint/contents/byte_budget.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"

namespace meshwright::checkpoint {

struct CopyOptions {
  /// Memory for elements that were read and not yet written.
  std::uint64_t budget_bytes = std::uint64_t{1} << 30;
  /// Number of threads that read and write.
  int threads = 2;
  /// Called on any of them after a part was read, with its size in bytes; may be absent.
  std::function<void(std::uint64_t num_bytes)> on_read = {};
};

/// Elements that were read are counted this often: in the worst case they are needed as often again
/// to decode and to encode them.
inline constexpr std::uint64_t kCopies = 3;

/// Returns a checkpoint to be written whose elements are read from another one when it is their
/// turn, so that memory is bounded by the budget, unless one stored chunk is larger and can only be
/// read as a whole.
PendingCheckpoint pending_copy(const Stored& stored, const CopyOptions& options);

/// Returns the size of the largest part that a copy holds in memory.
std::uint64_t largest_part(const Stored& stored, const CopyOptions& options);

}  // namespace meshwright::checkpoint
