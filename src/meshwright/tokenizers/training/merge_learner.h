// SPDX-License-Identifier: Apache-2.0
// Internal to training/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/training/pair_table.h"
#include "meshwright/tokenizers/training/token_cells.h"
#include "meshwright/tokenizers/training/train_bpe.h"
#include "meshwright/tokenizers/training/vocabulary.h"

namespace meshwright::tokenizers {

/// Learns merges as the library does.
///
/// All merges before it are applied to the bytes of a token as if they stood alone, or the token
/// would not begin and end there. So a token always comes from the same pair, and all places of a
/// pair come about at once, when the newer of its tokens is made.
class MergeLearner {
 public:
  /// `vocabulary` has the special tokens and the bytes; learn() adds tokens to it.
  MergeLearner(const WordCounts& words,
               const std::vector<Id>& byte_ids,
               TrainedVocabulary& vocabulary,
               const BpeTrainingOptions& options);

  /// Returns the pairs that were merged, in order.
  std::vector<TokenPair> learn(std::size_t vocab_size);
  /// Returns the number of tokens of all words.
  std::int64_t num_text_tokens() const { return num_text_tokens_; }

 private:
  /// A pair in the queue, with the count and the places that it had then.
  struct Candidate {
    std::int64_t count = 0;
    std::uint32_t number = 0;
    TokenPair pair;
    std::vector<Place> places;

    /// True if the other one is merged first.
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void queue_pairs_of_bytes(Id first);
  template <typename Use>
  void for_each_pair(const Use& use) const;
  void push(Candidate candidate);
  void queue(std::uint32_t number);
  void merge(const Candidate& candidate);
  void merge_at(TokenPair pair, Place place);
  void add(TokenPair pair, std::int64_t count, Place place);
  void remove(TokenPair pair, std::int64_t count);
  void set_length(Id id, TokenCells::Cell length);
  TokenCells::Cell length(Id id) const { return lengths_[static_cast<std::size_t>(id)]; }

  TokenCells cells_;
  TrainedVocabulary& vocabulary_;
  const std::int64_t min_count_;
  const std::int64_t max_length_;  // of a token, in bytes
  std::int64_t num_text_tokens_ = 0;
  std::vector<TokenCells::Cell> lengths_;  // in bytes, by id
  PairTable pairs_;
  std::vector<Candidate> queue_;        // a heap
  Id merged_ = 0;                       // the token that is being made
  std::vector<std::uint32_t> changed_;  // the pairs that it gave new places
};

}  // namespace meshwright::tokenizers
