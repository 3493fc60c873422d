// SPDX-License-Identifier: Apache-2.0
// Training of byte-level BPE, with the results of the BpeTrainer of Hugging Face tokenizers 0.23.
//
// A vocabulary begins with the special tokens and the 256 bytes. Then the pair of adjacent tokens
// that is most frequent in the text becomes a token, again and again, until the vocabulary is
// large enough or no pair is frequent. Words are counted first (word_counts.h): tokens never cross
// from one word into the next.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/training/word_counts.h"

namespace meshwright::tokenizers {

struct BpeTrainingOptions {
  std::int64_t vocab_size = 8192;  // with special tokens and bytes
  std::vector<std::string> special_tokens = {};
  std::int64_t min_count = 2;  // of a pair that becomes a token
  /// The most bytes of a token. Tokens of two bytes are always made.
  std::optional<std::int64_t> max_token_bytes = {};
};

/// Throws invalid_argument if the vocabulary has no room for the special tokens and the bytes, or
/// for a special token that is empty, not UTF-8, given twice or the spelling of a byte.
void check(const BpeTrainingOptions& options);

/// Two adjacent tokens, ordered as the library orders them when their counts are equal.
struct TokenPair {
  Id left = 0, right = 0;
  auto operator<=>(const TokenPair&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct TrainedBpe {
  std::vector<std::string> special_tokens;
  /// By id, as spelled in a tokenizer.json: a character stands for each byte, see byte_chars.h.
  std::vector<std::string> tokens;
  std::vector<TokenPair> merges;     // by rank
  std::int64_t num_text_tokens = 0;  // the length of the text in tokens
};

/// Learns a vocabulary. The result depends neither on the order of the words nor on the machine.
/// Throws as check(), and resource_exhausted if the different words have 4 GiB or more.
TrainedBpe train_bpe(const WordCounts& words, const BpeTrainingOptions& options);

}  // namespace meshwright::tokenizers
