// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/byte_trie.h"
#include "meshwright/tokenizers/normalize/charsmap.h"

namespace meshwright::tokenizers {

/// The settings of SentencePiece's normalizer, with its defaults.
struct SentencePieceRules {
  std::string charsmap = {};  // the bytes of a Charsmap; may be empty
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool space_is_suffix = false;
  std::vector<std::string> kept = {};  // user-defined symbols, which no rule changes
};

/// Normalizes text as SentencePiece does. Thread-safe.
class SentencePieceNormalizer {
 public:
  /// Throws data_loss for a malformed charsmap or symbols that are not valid UTF-8.
  explicit SentencePieceNormalizer(const SentencePieceRules& rules);

  /// Replaces `out` with the normalized text, as marked text. A byte that is not valid UTF-8
  /// becomes U+FFFD.
  void normalize(std::string_view text, std::string& out) const;

 private:
  // How an ASCII character can be normalized without a look at the rules.
  enum class Fast : unsigned char { never, before_ascii, always };
  struct Step {
    std::string_view text;
    std::size_t consumed = 0;
  };

  Fast fast_class(char c) const;
  bool is_fast(std::string_view text, std::size_t at) const {
    const Fast fast = fast_[static_cast<unsigned char>(text[at])];
    return fast == Fast::always || (fast == Fast::before_ascii && ends_before_ascii(text, at));
  }
  static bool ends_before_ascii(std::string_view text, std::size_t at) {
    return at + 1 == text.size() || static_cast<unsigned char>(text[at + 1]) < 0x80;
  }
  Step next(std::string_view text) const;
  std::size_t leading_spaces(std::string_view text) const;
  void append_all(std::string_view text, std::string& out) const;
  std::size_t append_fast(std::string_view text, std::size_t at, std::string& out) const;
  bool append_step(std::string_view step, bool after_space, std::string& out) const;

  Charsmap charsmap_;
  ByteTrie kept_;
  bool has_kept_;
  bool dummy_prefix_, dummy_suffix_, remove_extra_;
  char space_;  // what a space becomes: a mark or a space
  std::array<Fast, 256> fast_ = {};
};

}  // namespace meshwright::tokenizers
