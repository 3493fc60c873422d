// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/scan.h"
#include "meshwright/tokenizers/split/scanners.h"

namespace meshwright::tokenizers {
namespace {

using namespace scan;  // NOLINT(google-build-using-namespace): the functions of scanners

constexpr Categories kRest = ~(kSpaces | kLetters | kNumbers);

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
struct Gpt2 {
  static const char* next(const char* at, const char* end) {
    if (*at == '\'') {
      const char* word_end = contraction<false>(at, end);
      if (word_end != at) return word_end;
    }
    const char* start = after_blank(at);
    const Character first = character(start, end);
    const char* second = start + first.length;
    if ((first.category & kLetters) != 0) return run<kLetters>(second, end);
    if ((first.category & kNumbers) != 0) return run<kNumbers>(second, end);
    if ((first.category & kRest) != 0) return run<kRest>(second, end);
    return space_before_word(at, run<kSpaces>(second, end), end);
  }
};

}  // namespace

SplitterPtr gpt2_scanner() {
  return std::make_shared<Scanner<Gpt2>>();
}

}  // namespace meshwright::tokenizers
