// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "meshwright/checkpoint/contents/byte_budget.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/contents/tasks.h"

namespace meshwright::checkpoint {

/// Reads parts of arrays on several threads. Each stored piece is a separate task, so that even a
/// few large arrays keep all threads busy. After queue(), join() must be called.
class Reads {
 public:
  /// `num_bytes` is the total number of bytes to read.
  Reads(std::uint64_t num_bytes, const ReadOptions& options)
      : budget_(options.max_bytes), tasks_(threads_for(num_bytes, options.max_threads)) {}

  /// Queues a part, which must not move. `after` is copied per piece and called when the piece has
  /// been read; if reading fails, the copies are destroyed without being called.
  void queue(
      const StoredArray& array, Part& part, const std::function<void()>& after = [] {});
  /// Waits for all reads. Rethrows the first error.
  void join() { tasks_.join(); }

 private:
  ByteBudget budget_;  // limits decoded chunks
  Tasks tasks_;
};

/// Allocates memory for a part. Throws data_loss if its files are missing or too short.
Part empty_part(const StoredArray& array, const Ranges& ranges);

}  // namespace meshwright::checkpoint
