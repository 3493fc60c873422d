// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "meshwright/checkpoint/contents/byte_budget.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/contents/tasks.h"

namespace meshwright::checkpoint {

/// Reading parts of arrays on several threads. Stored pieces are tasks of their own, so that few
/// large arrays keep all threads busy too. Whoever queued must join.
class Reads {
 public:
  /// `num_bytes`: of all that is going to be read.
  Reads(std::uint64_t num_bytes, const ReadOptions& options)
      : budget_(options.max_bytes), tasks_(threads_for(num_bytes, options.max_threads)) {}

  /// Queues a part, which must stay where it is; `after` is called when each of its pieces is there
  /// and is let go unused if reading fails.
  void queue(
      const StoredArray& array, Part& part, const std::function<void()>& after = [] {});
  /// Waits for all reads. Throws the first error.
  void join() { tasks_.join(); }

 private:
  ByteBudget budget_;  // of what tasks decode
  Tasks tasks_;
};

/// Allocates memory for a part. Throws data_loss if its files are missing or too short.
Part empty_part(const StoredArray& array, const Ranges& ranges);

}  // namespace meshwright::checkpoint
