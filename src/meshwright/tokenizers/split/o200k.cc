// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/scan.h"
#include "meshwright/tokenizers/split/scanners.h"

namespace meshwright::tokenizers {
namespace {

using namespace scan;  // NOLINT(google-build-using-namespace): the functions of scanners

constexpr Categories kCaseless = categories(Category::Lm, Category::Lo) | kMarks;
constexpr Categories kUpper = categories(Category::Lu, Category::Lt) | kCaseless;
constexpr Categories kLower = bit(Category::Ll) | kCaseless;
constexpr Categories kWord = kUpper | kLower;
constexpr Categories kO200kRest = ~(kSpaces | kLetters | kNumbers);

// The end of "U*W+|U+W*" from a character in U or W, where U is kUpper and W is kLower. The first
// alternative gives back characters of U* until one is in W too, unless a lower-case letter
// follows.
const char* cased_word(const char* at, const char* end) {
  // Most words: ASCII in upper case, if any, then in lower case.
  const char* lower = at;
  while (lower != end && *lower >= 'A' && *lower <= 'Z')
    ++lower;
  if (lower != end && *lower >= 'a' && *lower <= 'z') return run<kLower>(lower + 1, end);
  const char* after_caseless = nullptr;
  while (true) {
    const Character next = character(at, end);
    if ((next.category & kUpper) == 0) {
      if ((next.category & kLower) != 0) return run<kLower>(at + next.length, end);
      return after_caseless != nullptr ? after_caseless : at;
    }
    at += next.length;
    if ((next.category & kCaseless) != 0) after_caseless = at;
  }
}

struct O200kOptions {
  int digits = 3;
  bool contractions = true;
};

// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|...)?
// |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|...)?
// |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
template <O200kOptions options>
struct O200k {
  static const char* word(const char* at, const char* end) {
    at = cased_word(at, end);
    return options.contractions && at != end && *at == '\'' ? contraction<true>(at, end) : at;
  }

  static const char* rest(const char* at, const char* end) {
    at = run<kO200kRest>(at, end);
    while (at != end && (is_newline(*at) || *at == '/'))
      ++at;
    return at;
  }

  static const char* next(const char* at, const char* end) {
    // Most words.
    if (const char* start = after_blank(at); start != end && is_ascii_letter(*start))
      return word(start, end);
    const Character first = character(at, end);
    const char* second = at + first.length;
    if ((first.category & kWord) != 0) return word(at, end);
    if ((first.category & kNumbers) != 0)
      return options.digits == 1 ? second : run<kNumbers>(second, end, options.digits - 1);
    const Character following = character(second, end);
    if ((following.category & kWord) != 0 && !is_newline(*at)) return word(second, end);
    if ((first.category & kO200kRest) != 0) return rest(second, end);
    if (*at == ' ' && (following.category & kO200kRest) != 0)
      return rest(second + following.length, end);
    return space_with_newlines(at, end);
  }
};

}  // namespace

SplitterPtr o200k_scanner() {
  return std::make_shared<Scanner<O200k<O200kOptions{}>>>();
}

SplitterPtr tekken_scanner() {
  return std::make_shared<Scanner<O200k<O200kOptions{.digits = 1, .contractions = false}>>>();
}

}  // namespace meshwright::tokenizers
