// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

/// Where a Metaspace puts its replacement in front of a word.
enum class PrependScheme { always, first, never };

/// A step of a pre-tokenizer: changes each word or splits it.
struct PreTokenizerStep {
  enum class Kind {
    split,         // by `splitter`
    prefix_space,  // prepends a space where there is none
    byte_chars,    // replaces each byte by the character that stands for it
    metaspace,     // replaces spaces by `replacement`, which it may prepend
  };
  Kind kind = Kind::split;
  SplitterPtr splitter = nullptr;
  std::string replacement = {};
  PrependScheme scheme = PrependScheme::always;
};

/// Splits text into words that need not be views of it. Thread-safe.
class PreTokenizer {
 public:
  explicit PreTokenizer(std::vector<PreTokenizerStep> steps) : steps_(std::move(steps)) {}

  const std::vector<PreTokenizerStep>& steps() const { return steps_; }
  /// Pushes the words of valid UTF-8, then flushes. `at_start` is true at the start of a text.
  void split(std::string_view text, bool at_start, WordSink& words) const;

 private:
  std::vector<PreTokenizerStep> steps_;
};

}  // namespace meshwright::tokenizers
