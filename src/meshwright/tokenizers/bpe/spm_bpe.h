// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/bpe/spm_agenda.h"
#include "meshwright/tokenizers/bpe/spm_merges.h"
#include "meshwright/tokenizers/core/byte_trie.h"
#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/core/unknown_rule.h"
#include "meshwright/tokenizers/core/word_breaks.h"
#include "meshwright/tokenizers/core/word_cache.h"

namespace meshwright::tokenizers {

/// A piece of SentencePiece's BPE. Its symbol and id are its index.
struct SpmBpePiece {
  enum class Kind {
    normal,
    user_defined,  // found before any merge, the longest first, and never merged
    unused,        // merged as others are, then taken apart again
    inactive,      // not part of the model: control pieces and bytes
  };
  std::string text;  // marked; of one character or more
  float score = 0;
  Kind kind = Kind::normal;
};

/// SentencePiece's BPE: merges the adjacent pair that forms the piece of the highest score (the
/// leftmost of equal ones) until no pair forms a piece. Thread-safe.
///
/// Words are encoded one by one, through a cache, since no merge crosses a word break.
class SpmBpe {
 public:
  /// Working memory of one thread, made by new_memory().
  struct Memory {
    explicit Memory(const SpmMerges& merges) : agenda(merges.num_ranks()) {}
    WordCache cache;
    std::vector<Id> word;
    SpmAgenda agenda;
    // By position in the text, of long words: the symbol, its neighbours and what it forms with
    // the next one.
    std::vector<SpmSymbol> symbols, formed;
    std::vector<std::int32_t> next, previous;
    // By symbol, if there are unused pieces: the pair that last formed it.
    std::vector<std::pair<SpmSymbol, SpmSymbol>> parts;
    std::vector<SpmSymbol> stack;
  };

  SpmBpe(const std::vector<SpmBpePiece>& pieces, UnknownRule unknown);

  std::unique_ptr<Memory> new_memory() const { return std::make_unique<Memory>(merges_); }

  /// Appends the ids of normalized, marked text, which WordCache::kPadding readable bytes must
  /// follow. Throws invalid_argument for text of 2 GiB or more.
  void encode(std::string_view text, Memory& memory, std::vector<Id>& ids) const;

 private:
  static constexpr std::size_t kShortWord = 32;  // symbols
  static constexpr Id kUnknown = -1;

  void encode_word(std::string_view word, Memory& memory, TokenAppender& out) const;
  std::size_t first_symbol(std::string_view text, SpmSymbol& symbol) const;
  void split(std::string_view word, std::vector<SpmSymbol>& symbols) const;
  static SpmMerges make_merges(const std::vector<SpmBpePiece>& pieces);
  std::size_t merge_short(std::vector<SpmSymbol>& symbols) const;
  void merge_long(Memory& memory) const;
  void consider(Memory& memory, std::int32_t left) const;
  void append(SpmSymbol symbol, std::string_view& text, TokenAppender& out) const;
  void append_parts(SpmSymbol symbol,
                    std::string_view& text,
                    Memory& memory,
                    TokenAppender& out) const;

  SpmMerges merges_;
  ByteTrie user_defined_;
  std::array<bool, 256> begins_user_defined_ = {};
  UnknownRule unknown_;
  WordBreaks breaks_;
  std::vector<Id> outputs_;             // by symbol; kUnknown for mere characters
  std::vector<std::uint32_t> lengths_;  // by symbol, in bytes
  std::vector<bool> unused_;            // by symbol; empty if none is
};

}  // namespace meshwright::tokenizers
