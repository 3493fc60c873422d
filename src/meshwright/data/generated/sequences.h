// SPDX-License-Identifier: Apache-2.0
// Random words to copy, reverse or sort: the smallest task for an encoder-decoder that cannot be
// solved token by token.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/source.h"
#include "meshwright/data/core/text_codec.h"

namespace meshwright::data {

enum class SequenceTask { copy, reverse, sort };

/// Words made of the letters a, b, ... Tokens 0 and 1 are the padding and end tokens of
/// seq2seq_batch.h.
struct SequenceOptions {
  SequenceTask task = SequenceTask::reverse;
  std::int64_t min_length = 4, max_length = 8;
  std::int64_t num_letters = 26;  // 2 to 26
};
inline constexpr std::int32_t kFirstLetterToken = 2;

/// True for about one in 16 words. These are never used for training. The choice is the same for
/// all seeds and versions.
bool is_held_out_word(const std::vector<std::int32_t>& word);
/// Returns the expected output for a word, without the end token.
std::vector<std::int32_t> sequence_answer(SequenceTask task, std::vector<std::int32_t> word);
/// Returns a codec with one token per letter. Its encode() throws invalid_argument for other
/// characters and for words longer than the longest word in the data.
TextCodec word_codec(const SequenceOptions& options);

/// An endless stream of batches as described in seq2seq_batch.h, without held-out words.
class SequenceSource : public Source {
 public:
  /// Throws invalid_argument unless 1 <= min_length <= max_length, 2 <= num_letters <= 26 and
  /// batch_size > 0.
  SequenceSource(SequenceOptions options, std::int64_t batch_size, std::int64_t seed);

  std::string name() const override { return "sequences"; }
  const BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override;
  Batch batch(std::int64_t step, Rows rows) const override;

  std::vector<std::int32_t> word(std::int64_t step, std::int64_t row) const;

 private:
  SequenceOptions options_;
  std::int64_t batch_size_;
  std::int64_t seed_;
  BatchSpec spec_;
};

/// Returns one pass over `num_words` held-out words in a fixed order, with `example_weight`.
std::unique_ptr<Source> held_out_sequences(const SequenceOptions& options,
                                           std::int64_t batch_size,
                                           std::int64_t num_words);

}  // namespace meshwright::data
