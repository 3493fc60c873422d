// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/reads.h"

#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/tensor/uninitialized.h"

namespace meshwright::checkpoint {

void Reads::queue(const StoredArray& array, Part& part, const std::function<void()>& after) {
  const Dims chunk = array.chunk();
  // Includes both the stored and the decoded bytes.
  const auto piece_bytes =
      2 * static_cast<std::uint64_t>(ArrayType{array.type().dtype, chunk}.num_bytes());
  for (const Ranges& piece : pieces_of(part.ranges, chunk)) {
    tasks_.run([this, array, &part, piece, piece_bytes, after] {
      {
        const ByteBudget::Share share(budget_, piece_bytes);
        array.read_into(piece, {part.ranges, part.value.mutable_data()});
      }
      after();
    });
  }
}

Part empty_part(const StoredArray& array, const Ranges& ranges) {
  array.check(ranges);
  return {ranges, uninitialized_tensor({array.type().dtype, sizes_of(ranges)})};
}

}  // namespace meshwright::checkpoint
