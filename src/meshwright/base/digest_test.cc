// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/digest.h"

#include <gtest/gtest.h>

namespace meshwright {
namespace {

// Expected values come from `xxhsum -H2`. Long inputs take another code path than short ones.
TEST(Digest, IsXxh3) {
  EXPECT_EQ(digest_hex(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(digest_hex("abc"), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(digest_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "3d62d22a5169b016c0d894fd4828a1a7");
  EXPECT_EQ(digest_hex(std::string(300, 'a')), "5e563f2cb28d2005c1d17581d8eb7e21");
  EXPECT_EQ(digest_hex(std::string(1000000, 'a')), "a545df8e384a9579b1fd6fae5285c4eb");
}

TEST(Digest, DoesNotDependOnHowTheBytesCome) {
  std::string text(1000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>(i * 7);
  for (std::size_t piece : {1u, 3u, 63u, 64u, 65u, 127u, 999u}) {
    Digest digest;
    for (std::size_t at = 0; at < text.size(); at += piece)
      digest.update(std::string_view(text).substr(at, piece));
    EXPECT_EQ(digest.hex(), digest_hex(text)) << piece;
  }
}

TEST(Digest, HashesPiecesTo64Bits) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += static_cast<char>(i * i);
  for (const std::size_t size : {0U, 1U, 16U, 200U, 240U, 241U, 1024U, 3000U}) {
    Digest digest;
    for (std::size_t begin = 0; begin < size; begin += 100)
      digest.update(std::string_view(text).substr(begin, std::min<std::size_t>(100, size - begin)));
    EXPECT_EQ(digest.hash64(), digest64(std::string_view(text).substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace meshwright
