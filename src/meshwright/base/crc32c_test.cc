// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/crc32c.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace meshwright {
namespace {

// One bit at a time, with the reflected polynomial.
std::uint32_t crc_by_bits(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  for (char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

// RFC 3720, B.4, and the check value of the catalogue of CRC algorithms.
TEST(Crc32c, MatchesKnownValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32c, GoesOnWhereItStopped) {
  std::string text = "a text that is cut at every place, with an odd number of bytes";
  for (std::size_t at = 0; at <= text.size(); ++at)
    EXPECT_EQ(crc32c(text.substr(at), crc32c(text.substr(0, at))), crc32c(text)) << at;
}

TEST(Crc32c, IsThatOfThePolynomialAtEveryShortLength) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(crc_by_bits(text, 7), crc32c(text, 7)) << i;
    text += static_cast<char>(i * 37);
  }
}

// Implementations process long texts in blocks and lanes: lengths around their ends.
TEST(Crc32c, IsThatOfThePolynomialForLongTexts) {
  std::string text;
  for (unsigned i = 0; i < 10000; ++i)
    text += static_cast<char>(i * 2654435761u >> 13);
  for (std::size_t size : {1024u, 3071u, 3072u, 3073u, 6144u, 6145u, 9999u}) {
    std::string_view part = std::string_view(text).substr(0, size);
    EXPECT_EQ(crc_by_bits(part, 7), crc32c(part, 7)) << size;
  }
}

}  // namespace
}  // namespace meshwright
