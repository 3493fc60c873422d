// SPDX-License-Identifier: Apache-2.0
// The splits that files describe by a pattern.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

/// The treatment of matches, named as in tokenizer.json.
enum class SplitBehavior {
  removed,
  isolated,
  merged_with_previous,
  merged_with_next,
  contiguous,  // like isolated, with adjacent matches merged
};

/// A "Split" of a tokenizer.json.
struct SplitRule {
  std::string pattern;
  bool is_regex = true;  // otherwise the pattern is plain text
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;  // swaps matches and the text between them
};

/// The pattern of the ByteLevel pre-tokenizer.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Returns the hand-written splitter into the matches of a pattern of tiktoken, whose grammar is
/// that of Rust's fancy-regex; nullptr if the pattern is not known.
SplitterPtr find_splitter(std::string_view pattern);

/// Returns the names of the patterns that new tokenizers can be trained with: "gpt2", "llama3" and
/// so on.
std::vector<std::string> pattern_names();
/// Returns the patterns of a name, which follow one another; none if there is no such name.
std::vector<std::string> named_patterns(std::string_view name);

/// Returns a splitter by the rule of a tokenizer.json, whose grammar is Oniguruma's: a hand-written
/// one if there is one, otherwise by PCRE2. Throws unimplemented if the pattern uses syntax that
/// PCRE2 might interpret differently, invalid_argument if it is not a regular expression.
SplitterPtr make_splitter(const SplitRule& rule);

/// Returns a splitter that applies make_splitter() of each pattern to the words of the one before.
/// Matches and the text between them are words. Without patterns, all text is one word.
SplitterPtr splitter_for(const std::vector<std::string>& patterns);

}  // namespace meshwright::tokenizers
