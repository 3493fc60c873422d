// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/byte_trie.h"
#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/core/unknown_rule.h"
#include "meshwright/tokenizers/core/word_breaks.h"
#include "meshwright/tokenizers/core/word_cache.h"

namespace meshwright::tokenizers {

/// A piece of a unigram model. Its id is its index.
struct UnigramPiece {
  std::string text;  // marked
  double score = 0;
  bool active = true;  // false for control, unknown, unused and byte pieces
};

struct UnigramOptions {
  UnknownRule unknown = {};
  double unknown_score = 0;  // by convention the lowest score less 10
  // Sums are rounded to floats after each piece, as in SentencePiece. tokenizers uses doubles.
  bool float_sums = true;
};

/// Segments text into the pieces whose scores have the greatest sum. Thread-safe.
///
/// SentencePiece adds up the scores from the beginning of the text and rounds each sum to a float,
/// so where sums are close, the choice depends on everything before. To give the same ids, the sum
/// is kept with the same rounding; the ids of a cached word are used only if the sum is so small
/// that no rounding can have changed them. A sum beyond 100,000 is set back to 0, as in the library
/// since version 0.2.2.
class Unigram {
 public:
  Unigram(const std::vector<UnigramPiece>& pieces, UnigramOptions options);

  /// Working memory of one thread.
  struct Memory {
    struct Best {
      double sum = 0;           // of the best path that ends here
      double second = 0;        // of the best path but one
      std::int32_t begin = -1;  // of its last piece; -1 while there is no path
      Id id = 0;
    };
    struct Token {
      std::int32_t begin = 0, end = 0;
      Id id = 0;
    };
    WordCache cache;
    std::vector<Best> best;
    std::vector<Token> tokens;
    std::vector<Id> word;
  };

  /// Appends the ids of normalized, marked text, which WordCache::kPadding readable bytes must
  /// follow. Throws invalid_argument for text of 2 GiB or more.
  void encode(std::string_view text, Memory& memory, std::vector<Id>& ids) const;

 private:
  enum class Sums { floats, doubles, exact };
  static constexpr Id kUnknown = -1;

  double encode_word(std::string_view word, double sum, Memory& memory, TokenAppender& out) const;
  template <Sums kSums>
  void find_best(std::string_view word, double sum, Memory& memory) const;
  void reset_sums(std::size_t begin, Memory& memory) const;
  template <Sums kSums>
  static void offer(Memory::Best& best, double sum, std::int32_t begin, Id id);
  void backtrack(std::string_view word, Memory& memory) const;
  double limit(const Memory& memory) const;
  double add(double sum, Id id) const;

  std::vector<double> scores_;  // of active pieces
  std::size_t longest_ = 4;     // piece or character, in bytes
  ByteTrie trie_;
  WordBreaks breaks_;
  UnigramOptions options_;
};

}  // namespace meshwright::tokenizers
