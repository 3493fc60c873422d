// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/scan.h"
#include "meshwright/tokenizers/split/scanners.h"

namespace meshwright::tokenizers {
namespace {

using namespace scan;  // NOLINT(google-build-using-namespace): the functions of scanners

// 's|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+
class Clip final : public Splitter {
  static constexpr Categories kRest = ~(kSpaces | kLetters | kNumbers);

  static const char* next(const char* at, const char* end, Character first) {
    if (*at == '\'') {
      const char* word_end = contraction<false>(at, end);
      if (word_end != at) return word_end;
    }
    const char* second = at + first.length;
    if ((first.category & kLetters) != 0) return run<kLetters>(second, end);
    return (first.category & kNumbers) != 0 ? second : run<kRest>(second, end);
  }

  void split(std::string_view text, WordSink& words) const override {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      const Character first = character(at, end);
      if ((first.category & kSpaces) != 0) {
        at += first.length;
        continue;
      }
      const char* word_end = next(at, end, first);
      words.push(std::string_view(at, word_end));
      at = word_end;
    }
  }
};

}  // namespace

SplitterPtr clip_scanner() {
  return std::make_shared<Clip>();
}

}  // namespace meshwright::tokenizers
