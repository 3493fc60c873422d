// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unicode/category.h"

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

TEST(Category, KnowsCharactersOfEachGroup) {
  EXPECT_EQ(category_of(U'A'), bit(Category::Lu));
  EXPECT_EQ(category_of(U'\u00e9'), bit(Category::Ll));
  EXPECT_EQ(category_of(U'\u01c5'), bit(Category::Lt));
  EXPECT_EQ(category_of(U'\u02b0'), bit(Category::Lm));
  EXPECT_EQ(category_of(U'\u4e2d'), bit(Category::Lo));
  EXPECT_EQ(category_of(U'\u0301'), bit(Category::Mn));
  EXPECT_EQ(category_of(U'\u0663'), bit(Category::Nd));
  EXPECT_EQ(category_of(U'\U0001f600'), bit(Category::So));
  EXPECT_EQ(category_of(U'\ue000'), bit(Category::Co));
  EXPECT_EQ(category_of(U'\U0010ffff'), bit(Category::Cn));
  EXPECT_EQ(category_of(U'\x01'), bit(Category::Cc));
}

TEST(Category, CountsTheSpacesLettersAndNumbersOfUnicode16) {
  int spaces = 0, letters = 0, numbers = 0, marks = 0;
  for (char32_t code = 0; code < 0x110000; ++code) {
    const Categories category = category_of(code);
    spaces += (category & kSpaces) != 0;
    letters += (category & kLetters) != 0;
    numbers += (category & kNumbers) != 0;
    marks += (category & kMarks) != 0;
  }
  // As tiktoken 0.14 and tokenizers 0.23 match \s, \p{L}, \p{N} and \p{M}.
  EXPECT_EQ(spaces, 25);
  EXPECT_EQ(letters, 141028);
  EXPECT_EQ(numbers, 1911);
  EXPECT_EQ(marks, 2501);
}

}  // namespace
}  // namespace meshwright::tokenizers
