// SPDX-License-Identifier: Apache-2.0
// BPE over characters, as tokenizer.json describes it for models that are not byte-level.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/bpe/cache_pool.h"
#include "meshwright/tokenizers/bpe/merge_table.h"
#include "meshwright/tokenizers/bpe/token_index.h"
#include "meshwright/tokenizers/core/word_breaks.h"
#include "meshwright/tokenizers/split/word_model.h"

namespace meshwright::tokenizers {

struct CharBpeModel {
  std::vector<std::string> tokens;  // by id; an id without a token is empty
  std::vector<std::pair<std::string_view, std::string_view>> merges;  // by rank
  std::optional<Id> unknown = {};       // of characters that are not tokens, which are else dropped
  bool fuse_unknown = false;            // adjacent unknown characters are one token
  bool byte_fallback = false;           // unknown characters are encoded as tokens like "<0x0A>"
  bool ignore_merges = false;           // a word that is a token is encoded as it
  std::string continuing_prefix = {};   // of characters that do not begin a word
  std::string end_of_word_suffix = {};  // of the last character of a word
};

class CharBpe final : public WordModel {
 public:
  /// Throws invalid_argument if a merge refers to a token that does not exist.
  explicit CharBpe(const CharBpeModel& model);

  void encode(const WordSource& source, std::vector<Id>& ids) const override;

 private:
  static constexpr std::size_t kLongWord = 64;

  void add_merges(const CharBpeModel& model);
  void find_breaks(const CharBpeModel& model);
  void encode_word(std::string_view word, BpeCache& cache, std::vector<Id>& ids) const;
  void encode_segments(std::string_view word, BpeCache& cache, std::vector<Id>& ids) const;
  void encode_whole(std::string_view word, std::vector<Id>& ids) const;
  void append_symbols(std::string_view word, std::vector<Id>& symbols) const;
  bool append_bytes(std::string_view text, std::vector<Id>& symbols) const;
  Id character(std::string_view text, bool is_first, bool is_last) const;
  void merge_short(std::vector<Id>& symbols, std::size_t begin) const;
  void merge_long(std::vector<Id>& symbols, std::size_t begin) const;

  TokenIndex index_;
  MergeTable merges_;
  std::optional<Id> unknown_;
  bool fuse_unknown_, byte_fallback_, ignore_merges_;
  std::string prefix_, suffix_;
  std::array<Id, 256> byte_tokens_ = {};
  std::array<Id, 128> ascii_ = {};
  WordBreaks breaks_;
  bool has_breaks_ = false;  // words can be encoded in segments
  mutable CachePool caches_;
};

}  // namespace meshwright::tokenizers
