// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/base64.h"

#include <gtest/gtest.h>

namespace meshwright {
namespace {

// The test vectors of RFC 4648, section 10.
TEST(Base64, ReadsAndWritesTheVectorsOfTheRfc) {
  const std::pair<std::string, std::string> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, KeepsAllBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    bytes += static_cast<char>(i);
  EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"Z", "Zm9vY", "Zm 9", "Zm9v\n", "Z===", "=", "Zm=v"})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  EXPECT_EQ(from_base64("Zm8"), "fo");
}

}  // namespace
}  // namespace meshwright
