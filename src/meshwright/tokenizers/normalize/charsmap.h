// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::tokenizers {

/// The replacement rules of a "precompiled charsmap", as SentencePiece models and the Precompiled
/// normalizer of tokenizer.json contain it.
///
/// The bytes are: the size of the trie in bytes (u32), a double-array trie in the format of
/// Darts-clone (u32 units), then the replacements, each ended by a NUL. The value of a key in the
/// trie is the offset of its replacement.
class Charsmap {
 public:
  /// No rules.
  Charsmap() = default;
  /// Throws data_loss if the bytes are malformed or a replacement is not valid UTF-8.
  explicit Charsmap(std::string_view bytes);

  bool empty() const { return units_.empty(); }

  struct Match {
    std::size_t length = 0;        // of the key; 0 if no rule applies
    std::string_view replacement;  // points into this object
  };
  /// Returns the rule with the longest key that is a prefix of the text.
  Match longest_prefix(std::string_view text) const;
  /// True if some key may begin with the text.
  bool may_begin_key(std::string_view text) const;

 private:
  // Moves from the base of a node to its child for `byte` and on to the child's base. Returns the
  // unit of the child, or 0 if there is none.
  std::uint32_t step(std::size_t& node, unsigned char byte) const;
  void check_leaf(std::size_t unit, std::string_view bytes) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace meshwright::tokenizers
