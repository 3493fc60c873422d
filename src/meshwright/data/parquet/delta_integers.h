// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace meshwright::data::parquet {

/// Decodes DELTA_BINARY_PACKED. Overflow wraps, as the format demands.
class DeltaIntegers {
 public:
  DeltaIntegers() = default;
  /// Throws data_loss for an invalid header.
  explicit DeltaIntegers(std::string_view bytes);

  /// Fills `out`. Throws data_loss if there are not as many integers.
  void read(std::span<std::int64_t> out);
  std::uint64_t num_left() const { return num_left_; }
  /// Skips all integers and returns the bytes after them, without decoding.
  std::string_view rest() const;

 private:
  struct Block {
    std::uint64_t min_delta = 0;
    std::string_view widths;
  };

  static Block take_block(std::string_view& bytes, std::uint64_t num_miniblocks);
  std::string_view take_miniblock(std::string_view& bytes, unsigned width) const;
  void next_miniblock();

  std::string_view bytes_;
  std::uint64_t num_miniblocks_ = 0;    // of a block
  std::uint64_t miniblock_values_ = 0;  // multiple of 32
  std::uint64_t num_left_ = 0;
  bool has_first_ = false;   // value_ is the next one
  std::uint64_t value_ = 0;  // the last one
  Block block_;
  std::string_view miniblock_;
  unsigned width_ = 0;
  std::uint64_t num_in_miniblock_ = 0;  // left
  std::size_t bit_ = 0;                 // in miniblock_
};

}  // namespace meshwright::data::parquet
