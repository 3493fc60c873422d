// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

namespace meshwright {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

std::uint32_t by_table(std::string_view bytes, std::uint32_t crc) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_table();
  for (char byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return crc;
}

#if defined(__x86_64__)
inline std::uint64_t word_at(const char* bytes) {
  std::uint64_t out;
  std::memcpy(&out, bytes, 8);
  return out;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::string_view bytes,
                                                               std::uint32_t crc) {
  std::uint64_t wide = crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8))
    wide = __builtin_ia32_crc32di(wide, word_at(bytes.data()));
  crc = static_cast<std::uint32_t>(wide);
  for (char byte : bytes)
    crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(byte));
  return crc;
}

// Advances a checksum over kLane zero bytes, with one table per byte of the checksum.
constexpr std::size_t kLane = 1024;

class LaneOfZeros {
 public:
  LaneOfZeros() {
    const std::string zeros(kLane, '\0');
    for (std::size_t bit = 0; bit < 32; ++bit) {
      std::uint32_t after = by_table(zeros, std::uint32_t{1} << bit);
      // CRCs are linear: combine the effects of the single bits.
      for (std::size_t byte = 0; byte < 256; ++byte) {
        if ((byte >> (bit % 8) & 1) != 0) tables_[bit / 8][byte] ^= after;
      }
    }
  }
  std::uint32_t operator()(std::uint32_t crc) const {
    return tables_[0][crc & 0xff] ^ tables_[1][crc >> 8 & 0xff] ^ tables_[2][crc >> 16 & 0xff] ^
           tables_[3][crc >> 24];
  }

 private:
  std::array<std::array<std::uint32_t, 256>, 4> tables_{};
};

// The CRC instruction has a latency of three cycles and a throughput of one per cycle, so three
// interleaved lanes take the time of one.
__attribute__((target("sse4.2"))) std::uint32_t by_three_lanes(std::string_view& bytes,
                                                               std::uint32_t crc) {
  static const LaneOfZeros after_lane;
  for (; bytes.size() >= 3 * kLane; bytes.remove_prefix(3 * kLane)) {
    const char* data = bytes.data();
    std::uint64_t first = crc, second = 0, third = 0;
    for (std::size_t at = 0; at < kLane; at += 8) {
      first = __builtin_ia32_crc32di(first, word_at(data + at));
      second = __builtin_ia32_crc32di(second, word_at(data + kLane + at));
      third = __builtin_ia32_crc32di(third, word_at(data + 2 * kLane + at));
    }
    crc = after_lane(static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
    crc = after_lane(crc) ^ static_cast<std::uint32_t>(third);
  }
  return crc;
}
#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) {
    std::uint32_t crc = by_three_lanes(bytes, ~before);
    return ~by_instruction(bytes, crc);
  }
#endif
  return crc32c_portable(bytes, before);
}

std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t before) {
  return ~by_table(bytes, ~before);
}

}  // namespace meshwright
