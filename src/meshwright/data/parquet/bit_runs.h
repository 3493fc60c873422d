// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/: bit-packed integers and the RLE encoding of levels and dictionary indices.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace meshwright::data::parquet {

/// Returns the `width` bits (at most 64) that begin at bit `begin`. All must lie in `bytes`.
inline std::uint64_t bits_at(std::string_view bytes, std::size_t begin, unsigned width) {
  const std::size_t first = begin / 8;
  const unsigned shift = begin % 8;
  std::uint64_t low = 0;
  const std::size_t left = bytes.size() - first;
  if (left >= 8) {
    std::memcpy(&low, bytes.data() + first, 8);
  } else {
    std::memcpy(&low, bytes.data() + first, left);
  }
  low >>= shift;
  if (shift + width > 64) {
    const auto next = static_cast<std::uint8_t>(bytes[first + 8]);
    low |= std::uint64_t{next} << (64 - shift);
  }
  return width == 64 ? low : low & ((std::uint64_t{1} << width) - 1);
}

/// Decodes runs of repeated and of bit-packed integers.
class BitRuns {
 public:
  BitRuns() = default;
  /// `width`: bits of an integer, at most 32.
  BitRuns(std::string_view bytes, unsigned width) : bytes_(bytes), width_(width) {}

  /// Fills `out`. Throws data_loss if the bytes end first.
  void read(std::span<std::uint32_t> out);

 private:
  void begin_run();
  void unpack(std::span<std::uint32_t> out);

  std::string_view bytes_;  // after the current run
  unsigned width_ = 0;
  std::uint64_t num_left_ = 0;  // in the current run
  bool is_packed_ = false;
  std::uint32_t repeated_ = 0;
  std::string_view packed_;
  std::size_t bit_ = 0;  // in packed_
};

}  // namespace meshwright::data::parquet
