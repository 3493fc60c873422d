// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/delta_integers.h"

#include <algorithm>

#include "meshwright/base/error.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/data/parquet/bit_runs.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 31;

unsigned checked_width(char width) {
  const auto out = static_cast<std::uint8_t>(width);
  if (out > 64) fail(ErrorCode::data_loss, "delta encoding: bit width ", int{out});
  return out;
}

}  // namespace

DeltaIntegers::DeltaIntegers(std::string_view bytes) : bytes_(bytes), has_first_(true) {
  const std::uint64_t block_values = take_varint(bytes_);
  num_miniblocks_ = take_varint(bytes_);
  num_left_ = take_varint(bytes_);
  value_ = take_zigzag(bytes_);
  const bool is_valid = num_miniblocks_ > 0 && block_values <= kMaxValues && block_values > 0 &&
                        block_values % num_miniblocks_ == 0 &&
                        block_values / num_miniblocks_ % 32 == 0 && num_left_ <= kMaxValues;
  if (!is_valid) fail(ErrorCode::data_loss, "delta encoding: invalid header");
  miniblock_values_ = block_values / num_miniblocks_;
}

DeltaIntegers::Block DeltaIntegers::take_block(std::string_view& bytes,
                                               std::uint64_t num_miniblocks) {
  Block out;
  out.min_delta = take_zigzag(bytes);
  out.widths = take(bytes, num_miniblocks);
  return out;
}

std::string_view DeltaIntegers::take_miniblock(std::string_view& bytes, unsigned width) const {
  return take(bytes, miniblock_values_ / 8 * width);
}

void DeltaIntegers::next_miniblock() {
  if (block_.widths.empty()) block_ = take_block(bytes_, num_miniblocks_);
  width_ = checked_width(block_.widths.front());
  block_.widths.remove_prefix(1);
  miniblock_ = take_miniblock(bytes_, width_);
  num_in_miniblock_ = miniblock_values_;
  bit_ = 0;
}

void DeltaIntegers::read(std::span<std::int64_t> out) {
  if (out.size() > num_left_)
    fail(ErrorCode::data_loss, "delta encoding: has ", num_left_, " values, expected ", out.size());
  num_left_ -= out.size();
  if (has_first_ && !out.empty()) {
    has_first_ = false;
    out.front() = static_cast<std::int64_t>(value_);
    out = out.subspan(1);
  }
  while (!out.empty()) {
    if (num_in_miniblock_ == 0) next_miniblock();
    const std::size_t size = std::min<std::uint64_t>(num_in_miniblock_, out.size());
    for (std::int64_t& value : out.first(size)) {
      value_ += block_.min_delta + (width_ == 0 ? 0 : bits_at(miniblock_, bit_, width_));
      bit_ += width_;
      value = static_cast<std::int64_t>(value_);
    }
    num_in_miniblock_ -= size;
    out = out.subspan(size);
  }
}

std::string_view DeltaIntegers::rest() const {
  std::string_view bytes = bytes_;
  std::uint64_t num_deltas = num_left_ - (has_first_ && num_left_ > 0 ? 1 : 0);
  num_deltas -= std::min(num_deltas, num_in_miniblock_);
  Block block = block_;
  while (num_deltas > 0) {
    if (block.widths.empty()) block = take_block(bytes, num_miniblocks_);
    take_miniblock(bytes, checked_width(block.widths.front()));
    block.widths.remove_prefix(1);
    num_deltas -= std::min(num_deltas, miniblock_values_);
  }
  return bytes;
}

}  // namespace meshwright::data::parquet
