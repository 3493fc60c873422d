// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/stored.h"

#include <algorithm>

#include "meshwright/checkpoint/chunks.h"
#include "meshwright/checkpoint/tasks.h"
#include "meshwright/tensor/uninitialized.h"

namespace meshwright::checkpoint {
namespace {

// One task per stored piece, so that few large arrays keep all threads busy too.
void queue_reads(const StoredArray& array, Part& part, Tasks& tasks) {
  for (const Ranges& piece : pieces_of(part.ranges, array.chunk())) {
    tasks.run([&array, &part, piece] {
      array.read_into(piece, {part.ranges, part.value.mutable_data()});
    });
  }
}

Part empty_part(const StoredArray& array, const Ranges& ranges) {
  return {ranges, uninitialized_tensor({array.type().dtype, sizes_of(ranges)})};
}

}  // namespace

HostTensor StoredArray::read(const Ranges& part) const {
  HostTensor out = uninitialized_tensor({type_.dtype, sizes_of(part)});
  read_into(part, {part, out.mutable_data()});
  return out;
}

ArrayParts read_parts(const StoredArray& array,
                      const std::vector<Ranges>& parts,
                      const ReadOptions& options) {
  ArrayParts out{array.type(), {}};
  std::uint64_t num_bytes = 0;
  for (const Ranges& ranges : parts) {
    out.parts.push_back(empty_part(array, ranges));
    num_bytes += out.parts.back().value.num_bytes();
  }
  Tasks tasks(threads_for(num_bytes, options.max_threads));
  for (Part& part : out.parts)
    queue_reads(array, part, tasks);
  tasks.join();
  return out;
}

Contents read_contents(const Stored& stored, const ReadOptions& options) {
  std::vector<StoredArray> arrays = leaves(stored.arrays);
  std::vector<ArrayParts> values;
  std::uint64_t num_bytes = 0;
  for (const StoredArray& array : arrays) {
    values.push_back({array.type(), {empty_part(array, whole_ranges(array.type().dims))}});
    num_bytes += values.back().parts[0].value.num_bytes();
  }
  Tasks tasks(threads_for(num_bytes, options.max_threads));
  for (std::size_t i = 0; i < arrays.size(); ++i)
    queue_reads(arrays[i], values[i].parts[0], tasks);
  tasks.join();
  return {stored.step, with_leaves(stored.arrays, values), stored.meta};
}

}  // namespace meshwright::checkpoint
