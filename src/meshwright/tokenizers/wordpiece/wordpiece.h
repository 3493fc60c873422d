// SPDX-License-Identifier: Apache-2.0
// WordPiece: a word is its longest prefix that is a token, followed by the longest continuations.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "meshwright/tokenizers/bpe/cache_pool.h"
#include "meshwright/tokenizers/core/byte_trie.h"
#include "meshwright/tokenizers/split/word_model.h"

namespace meshwright::tokenizers {

struct WordPieceOptions {
  Id unknown = -1;  // of words that are not sequences of tokens; -1: they are an error
  std::string continuing_prefix = "##";
  std::int64_t max_chars = 100;  // of a word that is not unknown
};

class WordPiece final : public WordModel {
 public:
  /// `tokens` are by id; an id without a token is empty.
  WordPiece(std::span<const std::string> tokens, WordPieceOptions options);

  /// Throws invalid_argument for an unknown word if there is no unknown token.
  void encode(const WordSource& source, std::vector<Id>& ids) const override;

 private:
  void encode_word(std::string_view word, std::vector<Id>& ids) const;

  ByteTrie first_, continuing_;
  WordPieceOptions options_;
  mutable CachePool caches_;
};

/// A vocabulary of whole words.
class WordLevel final : public WordModel {
 public:
  /// `unknown` is -1 if unknown words are an error.
  WordLevel(std::span<const std::string> tokens, Id unknown);

  /// Throws invalid_argument for an unknown word if there is no unknown token.
  void encode(const WordSource& source, std::vector<Id>& ids) const override;

 private:
  ByteTrie words_;
  Id unknown_;
  mutable CachePool caches_;
};

}  // namespace meshwright::tokenizers
