// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/inspection.h"

#include <algorithm>
#include <atomic>

#include "meshwright/base/error.h"
#include "meshwright/base/task_group.h"

namespace meshwright::checkpoint {

ByteBudget& inspection_budget() {
  static ByteBudget budget(kInspectionBytes);
  return budget;
}

std::uint64_t inspected_chunk_bytes(const StoredArray& array) {
  const Dims chunk = array.chunk();
  const auto num_bytes =
      static_cast<std::uint64_t>(ArrayType{array.type().dtype, chunk}.num_bytes());
  if (num_bytes > kMaxInspectedChunkBytes) {
    fail(ErrorCode::unimplemented, array.type(), " in chunks of ", chunk, ", each ", num_bytes,
         " bytes; the limit for inspection is ", kMaxInspectedChunkBytes,
         " bytes\ntraining has no such limit");
  }
  return num_bytes;
}

void inspect_each(std::int64_t count,
                  std::uint64_t bytes_each,
                  int max_threads,
                  const std::function<void(std::int64_t index)>& work) {
  if (count <= 1 || max_threads <= 1) {
    for (std::int64_t index = 0; index < count; ++index) {
      const ByteBudget::Share share(inspection_budget(), bytes_each);
      work(index);
    }
    return;
  }
  std::atomic<std::int64_t> next = 0;
  TaskGroup tasks(max_threads);
  const auto run = [&] {
    for (std::int64_t index = next++; index < count && !tasks.is_failed(); index = next++) {
      const ByteBudget::Share share(inspection_budget(), bytes_each);
      work(index);
    }
  };
  const std::int64_t num_threads = std::min<std::int64_t>(count, max_threads);
  for (std::int64_t i = 0; i < num_threads; ++i)
    tasks.run(run);
  tasks.join();
}

}  // namespace meshwright::checkpoint
