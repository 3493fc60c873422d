// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unicode/utf8.h"

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

std::string repaired(std::string_view text) {
  std::string storage;
  return std::string(to_valid_utf8(text, storage));
}

TEST(Utf8, EncodesAndDecodesTheEndsOfEachLength) {
  for (const char32_t code : {0x0, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff}) {
    std::string text;
    append_utf8(text, code);
    const CodePoint point = decode_valid(text.data());
    EXPECT_EQ(point.code, code);
    EXPECT_EQ(static_cast<std::size_t>(point.length), text.size());
    EXPECT_EQ(utf8_prefix_size(text), text.size());
  }
}

TEST(Utf8, ReturnsValidTextItself) {
  const std::string text = "plain, d\xc3\xa9j\xc3\xa0, \xe4\xb8\xad, \xf0\x9f\x98\x80, and more";
  std::string storage;
  EXPECT_EQ(to_valid_utf8(text, storage).data(), text.data());
  EXPECT_TRUE(storage.empty());
}

TEST(Utf8, ReplacesEachMaximalInvalidPart) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(repaired("a\x80z"), "a" + mark + "z");
  EXPECT_EQ(repaired("\xc0\xaf"), mark + mark);                        // overlong
  EXPECT_EQ(repaired("\xe2\x82z"), mark + "z");                        // three bytes, cut short
  EXPECT_EQ(repaired("\xf0\x9f\x98"), mark);                           // four bytes, cut short
  EXPECT_EQ(repaired("\xed\xa0\x80"), mark + mark + mark);             // a surrogate
  EXPECT_EQ(repaired("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // above U+10FFFF
  EXPECT_EQ(repaired("\xe2\x82\xe2\x82\xac"), mark + "\xe2\x82\xac");
  EXPECT_EQ(utf8_prefix_size("0123456789\xff"), 10U);
}

}  // namespace
}  // namespace meshwright::tokenizers
