// SPDX-License-Identifier: Apache-2.0
// The general categories of Unicode 16, the version of tiktoken 0.14 and tokenizers 0.23.
#pragma once

#include <array>
#include <cstdint>

#include "meshwright/tokenizers/unicode/categories.gen.h"

namespace meshwright::tokenizers {

/// A set of general categories, one bit each in the order of Category.
using Categories = std::uint32_t;

// NOLINTBEGIN(readability-identifier-naming): the names in Unicode
enum class Category : std::uint8_t {
  Lu,
  Ll,
  Lt,
  Lm,
  Lo,
  Mn,
  Mc,
  Me,
  Nd,
  Nl,
  No,
  Pc,
  Pd,
  Ps,
  Pe,
  Pi,
  Pf,
  Po,  // clang-format off
  Sm, Sc, Sk, So, Zs, Zl, Zp, Cc, Cf, Cs, Co, Cn,             // clang-format on
  space_control,  // the controls that \s matches; they count as Cc
};
// NOLINTEND(readability-identifier-naming)

constexpr Categories bit(Category category) {
  return 1U << static_cast<int>(category);
}

template <typename... More>
constexpr Categories categories(Category first, More... more) {
  return (bit(first) | ... | bit(more));
}

// \p{L}, \p{M}, \p{N}, \p{P}, \p{S}, \p{Z} and \s.
inline constexpr Categories kLetters =
    categories(Category::Lu, Category::Ll, Category::Lt, Category::Lm, Category::Lo);
inline constexpr Categories kMarks = categories(Category::Mn, Category::Mc, Category::Me);
inline constexpr Categories kNumbers = categories(Category::Nd, Category::Nl, Category::No);
inline constexpr Categories kPunctuation = categories(Category::Pc,
                                                      Category::Pd,
                                                      Category::Ps,
                                                      Category::Pe,
                                                      Category::Pi,
                                                      Category::Pf,
                                                      Category::Po);
inline constexpr Categories kSymbols =
    categories(Category::Sm, Category::Sc, Category::Sk, Category::So);
inline constexpr Categories kSeparators = categories(Category::Zs, Category::Zl, Category::Zp);
inline constexpr Categories kSpaces = kSeparators | bit(Category::space_control);
inline constexpr Categories kControls = categories(Category::Cc, Category::space_control);
inline constexpr Categories kOthers =
    kControls | categories(Category::Cf, Category::Cs, Category::Co, Category::Cn);

/// Returns the bit of the code point's category. The code point must be below 0x110000.
constexpr Categories category_of(char32_t code) {
  using namespace unicode_tables;  // NOLINT(google-build-using-namespace): names of tables
  const int block = kBlockOf[code / kBlock];
  return 1U << kCategories[static_cast<std::uint32_t>(block) * kBlock + code % kBlock];
}

/// category_of() for ASCII, without the detour by blocks.
inline constexpr std::array<Categories, 128> kAsciiCategories = [] {
  std::array<Categories, 128> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = category_of(static_cast<char32_t>(i));
  return out;
}();

}  // namespace meshwright::tokenizers
