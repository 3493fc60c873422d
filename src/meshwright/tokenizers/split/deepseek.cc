// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/scan.h"
#include "meshwright/tokenizers/split/scanners.h"

namespace meshwright::tokenizers {
namespace {

using namespace scan;  // NOLINT(google-build-using-namespace): the functions of scanners

// Splits into matches and the gaps between them. Match::at(at, end) returns the end of the match
// that starts at `at`, or `at` if there is none. Match::skip(at, end) returns a position from `at`
// on, at the start of a character, before which no match starts.
template <typename Match>
class MatchesAndGaps final : public Splitter {
  void split(std::string_view text, WordSink& words) const override {
    const char* at = text.data();
    const char* const end = at + text.size();
    const char* gap = at;
    while (true) {
      at = Match::skip(at, end);
      if (at == end) break;
      const char* match_end = Match::at(at, end);
      if (match_end == at) {
        at += character(at, end).length;
        continue;
      }
      if (gap != at) words.push(std::string_view(gap, at));
      words.push(std::string_view(at, match_end));
      gap = at = match_end;
    }
    if (gap != end) words.push(std::string_view(gap, end));
  }
};

template <int most>
struct Digits {
  static const char* skip(const char* at, const char* end) {
    while (end - at >= 8) {
      const std::uint64_t bytes = eight_bytes(at);
      const std::uint64_t candidates = bytes_in_range<'0', '9'>(bytes) | (bytes & kHighBits);
      if (candidates != 0) return at + std::countr_zero(candidates) / 8;
      at += 8;
    }
    return at;
  }

  static const char* at(const char* at, const char* end) { return run<kNumbers>(at, end, most); }
};

// [U+4E00-U+9FA5 U+3040-U+309F U+30A0-U+30FF]+
struct Cjk {
  // Matches start with a byte of 0xe3 or more; characters of fewer than three bytes have none.
  static const char* skip(const char* at, const char* end) {
    while (end - at >= 8) {
      const std::uint64_t bytes = eight_bytes(at);
      const std::uint64_t candidates = bytes & bytes << 1 & bytes << 2 & kHighBits;
      if (candidates != 0) return at + std::countr_zero(candidates) / 8;
      at += 8;
    }
    while (at != end && is_continuation(*at))
      ++at;
    return at;
  }

  static const char* at(const char* at, const char* end) {
    while (at != end && static_cast<unsigned char>(*at) >= 0xe3) {
      const CodePoint point = decode_valid(at);
      const bool in_set = (point.code >= 0x4e00 && point.code <= 0x9fa5) ||
                          (point.code >= 0x3040 && point.code <= 0x30ff);
      if (!in_set) break;
      at += point.length;
    }
    return at;
  }
};

bool is_ascii_punctuation(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && (kAsciiCategories[byte] & (kPunctuation | kSymbols)) != 0;
}

// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
// |\s*[\r\n]+|\s+(?!\S)|\s+
struct DeepSeek {
  static const char* skip(const char* at, const char*) { return at; }

  static constexpr Categories kWord = kLetters | kMarks;
  static constexpr Categories kSigns = kPunctuation | kSymbols;

  static const char* at(const char* at, const char* end) {
    // Most words.
    if (const char* start = after_blank(at); start != end && is_ascii_letter(*start))
      return run<kWord>(start + 1, end);
    const Character first = character(at, end);
    const char* second = at + first.length;
    if ((first.category & kWord) != 0) return run<kWord>(second, end);
    if (is_ascii_punctuation(*at) && second != end && is_ascii_letter(*second)) {
      while (second != end && is_ascii_letter(*second))
        ++second;
      return second;
    }
    if ((first.category & kSigns) != 0) return newlines(run<kSigns>(second, end), end);
    const Character following = character(second, end);
    const char* third = second + following.length;
    if ((following.category & kWord) != 0 && !is_newline(*at)) return run<kWord>(third, end);
    if (*at == ' ' && (following.category & kSigns) != 0)
      return newlines(run<kSigns>(third, end), end);
    return (first.category & kSpaces) != 0 ? space_with_newlines(at, end) : at;
  }
};

}  // namespace

SplitterPtr three_digits_scanner() {
  return std::make_shared<MatchesAndGaps<Digits<3>>>();
}

SplitterPtr one_digit_scanner() {
  return std::make_shared<MatchesAndGaps<Digits<1>>>();
}

SplitterPtr cjk_scanner() {
  return std::make_shared<MatchesAndGaps<Cjk>>();
}

SplitterPtr deepseek_scanner() {
  return std::make_shared<MatchesAndGaps<DeepSeek>>();
}

}  // namespace meshwright::tokenizers
