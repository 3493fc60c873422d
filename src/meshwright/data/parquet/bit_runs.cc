// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/bit_runs.h"

#include <algorithm>

#include "meshwright/base/error.h"
#include "meshwright/base/take_bytes.h"

namespace meshwright::data::parquet {

static_assert(std::endian::native == std::endian::little);

void BitRuns::read(std::span<std::uint32_t> out) {
  while (!out.empty()) {
    if (num_left_ == 0) begin_run();
    const std::size_t size = std::min<std::uint64_t>(num_left_, out.size());
    if (is_packed_) {
      unpack(out.first(size));
    } else {
      std::fill_n(out.begin(), size, repeated_);
    }
    num_left_ -= size;
    out = out.subspan(size);
  }
}

void BitRuns::begin_run() {
  const std::uint64_t header = take_varint(bytes_);
  is_packed_ = (header & 1) != 0;
  if (!is_packed_) {
    num_left_ = header >> 1;
    const std::string_view value = take(bytes_, (width_ + 7) / 8);
    repeated_ = 0;
    if (!value.empty()) std::memcpy(&repeated_, value.data(), value.size());
    return;
  }
  // Writers may omit the bytes that only pad the last run.
  const std::uint64_t num_groups = std::min<std::uint64_t>(header >> 1, UINT32_MAX);
  packed_ = take(bytes_, std::min<std::uint64_t>(num_groups * width_, bytes_.size()));
  num_left_ = width_ == 0 ? num_groups * 8 : std::min(num_groups * 8, packed_.size() * 8 / width_);
  if (num_left_ == 0 && num_groups > 0) fail(ErrorCode::data_loss, "truncated run of integers");
  bit_ = 0;
}

void BitRuns::unpack(std::span<std::uint32_t> out) {
  for (std::uint32_t& value : out) {
    value = width_ == 0 ? 0 : static_cast<std::uint32_t>(bits_at(packed_, bit_, width_));
    bit_ += width_;
  }
}

}  // namespace meshwright::data::parquet
