// SPDX-License-Identifier: Apache-2.0
// Helpers of the scanners. Positions point into valid UTF-8. Internal to split/.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "meshwright/tokenizers/split/splitter.h"
#include "meshwright/tokenizers/unicode/category.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers::scan {

struct Character {
  Categories category;  // 0 at the end of the text, so that it is in no set
  int length;
};

inline Character character(const char* at, const char* end) {
  if (at == end) return {0, 0};
  const auto byte = static_cast<unsigned char>(*at);
  if (byte < 0x80) return {kAsciiCategories[byte], 1};
  const CodePoint point = decode_valid(at);
  return {category_of(point.code), point.length};
}

// Eight bytes as one number, and constants for the same operation on each of them.
inline constexpr std::uint64_t kEach = 0x0101010101010101, kHighBits = 0x80 * kEach;

inline std::uint64_t eight_bytes(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

/// Returns the high bit of each byte that is in the range, which must be of ASCII.
template <unsigned char first, unsigned char last>
std::uint64_t bytes_in_range(std::uint64_t bytes) {
  const std::uint64_t low = bytes & ~kHighBits;
  const std::uint64_t from_first = low + (0x80 - first) * kEach;
  const std::uint64_t after_last = low + (0x7f - last) * kEach;
  return from_first & ~after_last & ~bytes & kHighBits;
}

/// Returns the end of the ASCII letters in the set from `at`, or an earlier position less than 8
/// bytes before the end of the text.
template <Categories set>
const char* skip_letters(const char* at, const char* end) {
  constexpr bool kUpper = (set & bit(Category::Lu)) != 0, kLower = (set & bit(Category::Ll)) != 0;
  if constexpr (kUpper || kLower) {
    while (end - at >= 8) {
      const std::uint64_t bytes = eight_bytes(at);
      const std::uint64_t letters = kUpper && kLower
                                        ? bytes_in_range<'a', 'z'>(bytes | 0x20 * kEach)
                                    : kUpper ? bytes_in_range<'A', 'Z'>(bytes)
                                             : bytes_in_range<'a', 'z'>(bytes);
      const std::uint64_t others = letters ^ kHighBits;
      if (others != 0) return at + std::countr_zero(others) / 8;
      at += 8;
    }
  }
  return at;
}

inline bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns `at`, or the position after a blank at `at`.
inline const char* after_blank(const char* at) {
  return at + (*at == ' ' ? 1 : 0);
}

/// Returns the end of the longest run of characters in `set` from `at`.
template <Categories set>
const char* run(const char* at, const char* end) {
  at = skip_letters<set>(at, end);
  while (at != end) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x80) {
      if ((kAsciiCategories[byte] & set) == 0) break;
      ++at;
    } else {
      const CodePoint point = decode_valid(at);
      if ((category_of(point.code) & set) == 0) break;
      at += point.length;
    }
  }
  return at;
}

/// As run(), but at most `most` characters.
template <Categories set>
const char* run(const char* at, const char* end, int most) {
  for (; most > 0; --most) {
    const Character next = character(at, end);
    if ((next.category & set) == 0) break;
    at += next.length;
  }
  return at;
}

inline bool is_newline(char c) {
  return c == '\n' || c == '\r';
}

inline const char* newlines(const char* at, const char* end) {
  while (at != end && is_newline(*at))
    ++at;
  return at;
}

/// Returns the start of the character that ends at `at`.
inline const char* previous(const char* at) {
  do {
    --at;
  } while (is_continuation(*at));
  return at;
}

/// The end of "\s+(?!\S)|\s+": white space but for the last character if that precedes a word.
/// `run_end` is the end of the white space from `at`.
inline const char* space_before_word(const char* at, const char* run_end, const char* end) {
  if (run_end == end) return end;
  const char* last = previous(run_end);
  return last == at ? run_end : last;
}

/// The end of "\s*[\r\n]+|\s+(?!\S)|\s+". `at` is at white space.
inline const char* space_with_newlines(const char* at, const char* end) {
  const char* run_end = run<kSpaces>(at, end);
  for (const char* last = run_end; last != at; --last)
    if (is_newline(last[-1])) return last;
  return space_before_word(at, run_end, end);
}

/// Returns the end of "'s|'t|'re|'ve|'m|'ll|'d" at an apostrophe, or `at` if it does not match.
/// Ignoring case includes U+017F, whose upper case is S.
template <bool ignore_case>
const char* contraction(const char* at, const char* end) {
  constexpr char kFold = ignore_case ? 0x20 : 0;
  const auto letter = [&](int i) { return end - at > i ? static_cast<char>(at[i] | kFold) : '\0'; };
  const auto is_letter = [&](int i, char wanted) {
    // Bit 5 folds a letter's case, but must not make letters of other characters.
    return letter(i) == wanted && (!ignore_case || (at[i] & 0x40) != 0);
  };
  for (const char c : {'s', 't', 'm', 'd'})
    if (is_letter(1, c)) return at + 2;
  if ((is_letter(1, 'l') && is_letter(2, 'l')) || (is_letter(1, 'r') && is_letter(2, 'e')) ||
      (is_letter(1, 'v') && is_letter(2, 'e')))
    return at + 3;
  if (ignore_case && std::string_view(at + 1, end).starts_with("\xc5\xbf")) return at + 3;
  return at;
}

/// Splits by `next(at, end)`, which returns the end of the word that starts at `at`.
template <typename Next>
class Scanner final : public Splitter {
  void split(std::string_view text, WordSink& words) const override {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      const char* word_end = Next::next(at, end);
      words.push(std::string_view(at, word_end));
      at = word_end;
    }
  }
};

}  // namespace meshwright::tokenizers::scan
