// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/ranges.h"

namespace meshwright::checkpoint {

/// The pieces of pieces_of(), in the same order, computed on demand: for millions of chunks, a list
/// would take more memory than the chunks.
class Pieces {
 public:
  Pieces(Ranges part, Dims chunk);

  std::int64_t size() const { return size_; }
  /// Requires 0 <= index < size().
  Ranges at(std::int64_t index) const;

 private:
  Ranges part_;
  Dims chunk_;
  Dims grid_;  // number of chunks that the part touches along each dimension
  std::int64_t size_ = 0;
};

}  // namespace meshwright::checkpoint
