// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/open/number_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/core/tokenizer_testutil.h"

namespace meshwright::tokenizers {
namespace {

using testing::ElementsAre;

TEST(NumberTokenizer, ReadsAndWritesNumbers) {
  const auto tokenizer = number_tokenizer(100);
  EXPECT_THAT(encoded(*tokenizer, " 5 17\n99 "), ElementsAre(5, 17, 99));
  EXPECT_THAT(encoded(*tokenizer, ""), ElementsAre());
  const std::vector<Id> ids = {5, 17, 99};
  EXPECT_EQ(tokenizer->decode(ids), "5 17 99");
  EXPECT_EQ(tokenizer->bytes(5, true) + tokenizer->bytes(17) + tokenizer->bytes(99), "5 17 99");
  for (const char* text : {"100", "-1", "1a", "two", "99999999999"})
    EXPECT_THROW(encoded(*tokenizer, text), Error) << text;
  EXPECT_THAT(encoded(*number_tokenizer(0), "100"), ElementsAre(100));
}

}  // namespace
}  // namespace meshwright::tokenizers
