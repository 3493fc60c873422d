// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace meshwright {
namespace {

// From RFC 3720, B.4, and the check value of the catalogue of CRC algorithms.
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

TEST(Crc32c, IsTheSameWithAndWithoutTheInstruction) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(crc32c_portable(text, 7), crc32c(text, 7)) << i;
    text += static_cast<char>(i * 37);
  }
}

// Lengths around the boundaries at which long texts are split into lanes.
TEST(Crc32c, IsTheSameInLanes) {
  std::string text;
  for (unsigned i = 0; i < 10000; ++i)
    text += static_cast<char>(i * 2654435761u >> 13);
  for (std::size_t size : {1024u, 3071u, 3072u, 3073u, 6144u, 6145u, 9999u}) {
    std::string_view part = std::string_view(text).substr(0, size);
    EXPECT_EQ(crc32c_portable(part, 7), crc32c(part, 7)) << size;
  }
}

}  // namespace
}  // namespace meshwright
