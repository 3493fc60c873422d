// SPDX-License-Identifier: Apache-2.0
// The added tokens of a tokenizer.json. Internal to formats/.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "meshwright/tokenizers/core/byte_trie.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

struct AddedToken {
  std::string content;
  std::string normalized_content;  // what is found in normalized text, and decoded
  Id id = 0;
  bool single_word = false;             // found only between characters that are not part of words
  bool lstrip = false, rstrip = false;  // takes the white space beside it too
  bool normalized = false;              // found in normalized text
  bool special = false;

  bool operator==(const AddedToken&) const = default;
};

/// A part of a text: an added token, or text between them.
struct TextPart {
  const AddedToken* token = nullptr;  // null for text
  std::string_view text = {};
};

/// Finds some of the added tokens, of which the leftmost, then the longest win. Thread-safe.
class AddedTokenFinder {
 public:
  AddedTokenFinder() = default;
  /// Finds the normalized or the other ones of `tokens`, which must outlive it. Throws data_loss if
  /// two have the same text or one is empty.
  AddedTokenFinder(std::span<const AddedToken> tokens, bool normalized);

  /// Appends the parts of the text.
  void split(std::string_view text, SpecialText special, std::vector<TextPart>& parts) const;

 private:
  std::size_t next_candidate(std::string_view text, std::size_t at) const;

  std::span<const AddedToken> tokens_;
  ByteTrie trie_;
  std::array<bool, 256> begins_ = {};
  bool empty_ = true;
};

}  // namespace meshwright::tokenizers
