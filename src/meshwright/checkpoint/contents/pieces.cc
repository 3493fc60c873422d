// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/pieces.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"

namespace meshwright::checkpoint {

Pieces::Pieces(Ranges part, Dims chunk) : part_(std::move(part)), chunk_(std::move(chunk)) {
  MW_CHECK(part_.size() == chunk_.size(), "checkpoint: a part ", part_, " in chunks of ", chunk_);
  if (std::ranges::any_of(part_, [](const Range& range) { return range.size() == 0; })) return;
  for (std::size_t d = 0; d < part_.size(); ++d)
    grid_.push_back((part_[d].stop - 1) / chunk_[d] - part_[d].start / chunk_[d] + 1);
  size_ = num_elements(grid_);
}

Ranges Pieces::at(std::int64_t index) const {
  Ranges out(part_.size());
  for (std::size_t d = part_.size(); d-- > 0;) {
    const std::int64_t place = part_[d].start / chunk_[d] + index % grid_[d];
    index /= grid_[d];
    out[d] = {std::max(part_[d].start, place * chunk_[d]),
              std::min(part_[d].stop, (place + 1) * chunk_[d])};
  }
  return out;
}

}  // namespace meshwright::checkpoint
