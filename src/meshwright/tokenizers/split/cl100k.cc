// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/scan.h"
#include "meshwright/tokenizers/split/scanners.h"

namespace meshwright::tokenizers {
namespace {

using namespace scan;  // NOLINT(google-build-using-namespace): the functions of scanners

struct Options {
  Categories letters = kLetters;
  int digits = 3;
  bool final_spaces_are_one_word = false;
};

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
// |\s*[\r\n]+|\s+(?!\S)|\s+
template <Options options>
struct Cl100k {
  static constexpr Categories kWord = options.letters;
  static constexpr Categories kRest = ~(kSpaces | kWord | kNumbers);

  static const char* next(const char* at, const char* end) {
    // Most words.
    if (const char* start = after_blank(at); start != end && is_ascii_letter(*start))
      return run<kWord>(start + 1, end);
    const Character first = character(at, end);
    const char* second = at + first.length;
    if ((first.category & kWord) != 0) return run<kWord>(second, end);
    if ((first.category & kNumbers) != 0)
      return options.digits == 1 ? second : run<kNumbers>(second, end, options.digits - 1);
    if (*at == '\'') {
      const char* word_end = contraction<true>(at, end);
      if (word_end != at) return word_end;
    }
    const Character following = character(second, end);
    const char* third = second + following.length;
    if ((following.category & kWord) != 0 && !is_newline(*at)) return run<kWord>(third, end);
    if ((first.category & kRest) != 0) return newlines(run<kRest>(second, end), end);
    if (*at == ' ' && (following.category & kRest) != 0)
      return newlines(run<kRest>(third, end), end);
    if (options.final_spaces_are_one_word && run<kSpaces>(second, end) == end) return end;
    return space_with_newlines(at, end);
  }
};

}  // namespace

SplitterPtr cl100k_scanner() {
  return std::make_shared<Scanner<Cl100k<Options{.final_spaces_are_one_word = true}>>>();
}

SplitterPtr cl100k_one_digit_scanner() {
  return std::make_shared<
      Scanner<Cl100k<Options{.digits = 1, .final_spaces_are_one_word = true}>>>();
}

SplitterPtr llama3_scanner() {
  return std::make_shared<Scanner<Cl100k<Options{}>>>();
}

SplitterPtr qwen2_scanner() {
  return std::make_shared<Scanner<Cl100k<Options{.digits = 1}>>>();
}

SplitterPtr qwen3_5_scanner() {
  return std::make_shared<Scanner<Cl100k<Options{.letters = kLetters | kMarks, .digits = 1}>>>();
}

}  // namespace meshwright::tokenizers
