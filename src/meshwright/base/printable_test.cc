// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/printable.h"

#include <gtest/gtest.h>

namespace meshwright {
namespace {

TEST(Printable, WritesControlCharactersAsText) {
  EXPECT_EQ(printable_name("a\x1b[2J\n\x7f/b"), "a\\x1b[2J\\x0a\\x7f/b");
  EXPECT_EQ(printable_message("one\n\ttwo\r\x07"), "one\n\ttwo\\x0d\\x07");
  EXPECT_EQ(printable_message("Gr\xc3\xbc\xc3\x9f"
                              "e"),
            "Gr\xc3\xbc\xc3\x9f"
            "e");
}

}  // namespace
}  // namespace meshwright
