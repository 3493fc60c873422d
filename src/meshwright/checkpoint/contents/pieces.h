// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/ranges.h"

namespace meshwright::checkpoint {

/// What chunks of these sizes cut out of a part of an array: the pieces of pieces_of(), in the same
/// order, without a list of them, which for millions of chunks takes more memory than the chunks.
class Pieces {
 public:
  Pieces(Ranges part, Dims chunk);

  std::int64_t size() const { return size_; }
  /// 0 <= index < size().
  Ranges at(std::int64_t index) const;

 private:
  Ranges part_;
  Dims chunk_;
  Dims grid_;  // the number of chunks that the part touches along each dimension
  std::int64_t size_ = 0;
};

}  // namespace meshwright::checkpoint
