// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/open/byte_tokenizer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

TEST(ByteTokenizer, IdsAreBytes) {
  std::vector<Id> ids = {7};
  byte_tokenizer()->encode("a\xff", ids, SpecialText::plain);
  EXPECT_EQ(ids, (std::vector<Id>{7, 'a', 255}));
}

TEST(ByteTokenizer, AppendsManyTextsInLinearTime) {
  const auto tokenizer = byte_tokenizer();
  std::vector<Id> ids;
  int num_moves = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t capacity = ids.capacity();
    tokenizer->encode("ten bytes.", ids, SpecialText::plain);
    num_moves += ids.capacity() != capacity;
  }
  EXPECT_LT(num_moves, 40);
}

}  // namespace
}  // namespace meshwright::tokenizers
