// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/char_splitters.h"

#include <utility>

#include "meshwright/tokenizers/split/pieces.h"
#include "meshwright/tokenizers/unicode/char_sets.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

struct Char {
  CharSet sets;
  std::size_t length;
};

Char char_at(const CharSets& sets, std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0x80) return {sets.of_ascii(text[at]), 1};
  const CodePoint point = decode_valid(text.data() + at);
  return {sets.of(point.code), static_cast<std::size_t>(point.length)};
}

// Words are runs of one class. Kind::classify(sets) gives the class of a character; characters of
// class kAlone are words, those of class kDropped are dropped.
inline constexpr int kDropped = -1, kAlone = -2;

template <typename Kind>
class RunSplitter final : public Splitter {
  void split(std::string_view text, WordSink& words) const override {
    const CharSets& sets = CharSets::get();
    std::size_t begin = 0;
    int run = kDropped;
    for (std::size_t at = 0; at < text.size();) {
      const Char next = char_at(sets, text, at);
      const int kind = Kind::classify(next.sets);
      if (kind != run || kind == kAlone) {
        if (run != kDropped) words.push(text.substr(begin, at - begin));
        begin = at;
        run = kind;
      }
      at += next.length;
    }
    if (run != kDropped) words.push(text.substr(begin));
  }
};

struct NotSpace {
  static int classify(CharSet sets) { return (sets & kWhitespaceChars) != 0 ? kDropped : 0; }
};
struct WordOrSymbol {
  static int classify(CharSet sets) {
    if ((sets & kWordChars) != 0) return 0;
    return (sets & kWhitespaceChars) != 0 ? kDropped : 1;
  }
};
struct Bert {
  static int classify(CharSet sets) {
    if ((sets & (kWhitespaceChars | kPunctuationChars)) == 0) return 0;
    return (sets & kWhitespaceChars) != 0 ? kDropped : kAlone;
  }
};

/// Splits by a rule whose matches are the characters of a set.
class SetSplitter final : public Splitter {
 public:
  SetSplitter(CharSet set, SplitBehavior behavior) : set_(set), behavior_(behavior) {}

 private:
  void split(std::string_view text, WordSink& words) const override {
    const CharSets& sets = CharSets::get();
    Pieces pieces(behavior_, words);
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      const Char next = char_at(sets, text, at);
      if ((next.sets & set_) != 0) {
        pieces.add(text.substr(begin, at - begin), false);
        pieces.add(text.substr(at, next.length), true);
        begin = at + next.length;
      }
      at += next.length;
    }
    pieces.add(text.substr(begin), false);
    pieces.finish();
  }

  CharSet set_;
  SplitBehavior behavior_;
};

}  // namespace

SplitterPtr whitespace_splitter() {
  return std::make_shared<RunSplitter<NotSpace>>();
}

SplitterPtr word_splitter() {
  return std::make_shared<RunSplitter<WordOrSymbol>>();
}

SplitterPtr bert_splitter() {
  return std::make_shared<RunSplitter<Bert>>();
}

SplitterPtr punctuation_splitter(SplitBehavior behavior) {
  return std::make_shared<SetSplitter>(kPunctuationChars, behavior);
}

SplitterPtr digits_splitter(bool individual) {
  return std::make_shared<SetSplitter>(
      kNumericChars, individual ? SplitBehavior::isolated : SplitBehavior::contiguous);
}

}  // namespace meshwright::tokenizers
