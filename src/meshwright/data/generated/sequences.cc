// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/sequences.h"

#include <algorithm>

#include "meshwright/base/threefry.h"
#include "meshwright/data/core/in_memory.h"
#include "meshwright/data/core/seq2seq_batch.h"

namespace meshwright::data {
namespace {

using Word = std::vector<std::int32_t>;

constexpr std::uint32_t kHeldOutSequences = 16;
constexpr std::uint32_t kMaxAttempts = 10000;
constexpr threefry::KeyWords kSequencesKey = {0x6d657368, 0x776f7264};

void check_options(const SequenceOptions& o) {
  MW_CHECK(o.min_length >= 1 && o.max_length >= o.min_length,
           "data: sequences: invalid word length of ", o.min_length, " to ", o.max_length,
           " letters");
  MW_CHECK(o.num_letters >= 2 && o.num_letters <= 26, "data: sequences: num_letters is ",
           o.num_letters, ", expected 2 to 26");
}

std::string task_name(SequenceTask task) {
  switch (task) {
    case SequenceTask::copy:
      return "copy";
    case SequenceTask::reverse:
      return "reverse";
    case SequenceTask::sort:
      return "sort";
  }
  return "";
}

// Returns the first word drawn from the key whose held-out status matches.
Word draw_word(const SequenceOptions& options, threefry::KeyWords key, bool held_out) {
  const auto num_lengths = static_cast<std::uint32_t>(options.max_length - options.min_length + 1);
  const auto num_letters = static_cast<std::uint32_t>(options.num_letters);
  for (std::uint32_t attempt = 0; attempt < kMaxAttempts; ++attempt) {
    threefry::KeyWords of_attempt = threefry::fold_in(key, attempt);
    const std::int64_t length = options.min_length + threefry::bits32(of_attempt, 0) % num_lengths;
    Word word;
    for (std::int64_t i = 0; i < length; ++i) {
      std::uint32_t bits = threefry::bits32(of_attempt, static_cast<std::uint64_t>(i + 1));
      word.push_back(kFirstLetterToken + static_cast<std::int32_t>(bits % num_letters));
    }
    if (is_held_out_word(word) == held_out) return word;
  }
  fail(ErrorCode::invalid_argument, "data: sequences: with so few words (", options.min_length,
       " to ", options.max_length, " of ", options.num_letters,
       " letters), all or none are held out");
}

// Writes one row of the batch.
void write_row(const SequenceOptions& options, const Word& word, std::size_t row, Batch& batch) {
  const auto length = static_cast<std::size_t>(options.max_length);
  auto ids = batch.at(kEncoderInputs).value().mutable_values<std::int32_t>();
  auto inputs = batch.at(kDecoderInputs).value().mutable_values<std::int32_t>();
  auto targets = batch.at(kTargets).value().mutable_values<std::int32_t>();
  auto weights = batch.at(kWeights).value().mutable_values<float>();
  Word answer = sequence_answer(options.task, word);
  answer.push_back(kEndToken);
  std::ranges::copy(word, ids.begin() + static_cast<std::ptrdiff_t>(row * length));
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const std::size_t at = row * (length + 1) + i;
    inputs[at] = i == 0 ? kPadToken : answer[i - 1];
    targets[at] = answer[i];
    weights[at] = 1;
  }
}

Batch batch_of(const SequenceOptions& options, const std::vector<Word>& words) {
  Batch out = map(seq2seq_batch_spec(std::ssize(words), options.max_length, options.max_length + 1),
                  [](const ArraySpec& spec) { return HostTensor(spec.type); });
  for (std::size_t row = 0; row < words.size(); ++row)
    write_row(options, words[row], row, out);
  return out;
}

std::int32_t letter_token(const SequenceOptions& options, char letter) {
  const int number = letter - 'a';
  MW_CHECK(number >= 0 && number < options.num_letters, "prompt: '", std::string(1, letter),
           "' is not one of the letters a to ", static_cast<char>('a' + options.num_letters - 1),
           " of this data");
  return kFirstLetterToken + number;
}

}  // namespace

bool is_held_out_word(const std::vector<std::int32_t>& word) {
  threefry::KeyWords digest = kSequencesKey;
  for (std::int32_t token : word)
    digest = threefry::fold_in(digest, static_cast<std::uint32_t>(token));
  return digest[0] % kHeldOutSequences == 0;
}

std::vector<std::int32_t> sequence_answer(SequenceTask task, std::vector<std::int32_t> word) {
  if (task == SequenceTask::reverse) std::ranges::reverse(word);
  if (task == SequenceTask::sort) std::ranges::sort(word);
  return word;
}

TextCodec word_codec(const SequenceOptions& options) {
  check_options(options);
  TextCodec out{.name = "letters"};
  out.encode = [options](const std::string& text) {
    MW_CHECK(std::ssize(text) <= options.max_length, "prompt: '", text, "' has ", text.size(),
             " letters; this data has words of at most ", options.max_length);
    std::vector<std::int32_t> tokens;
    for (char letter : text)
      tokens.push_back(letter_token(options, letter));
    return tokens;
  };
  out.decode = [](std::span<const std::int32_t> tokens) {
    std::string text;
    for (std::int32_t token : tokens) {
      const std::int32_t number = token - kFirstLetterToken;
      text += number >= 0 && number < 26 ? static_cast<char>('a' + number) : '?';
    }
    return text;
  };
  out.end_tokens = {kEndToken};
  out.max_tokens = options.max_length + 1;
  return out;
}

SequenceSource::SequenceSource(SequenceOptions options, std::int64_t batch_size, std::int64_t seed)
    : options_(options), batch_size_(batch_size), seed_(seed) {
  check_options(options);
  MW_CHECK(batch_size > 0, "data: sequences: batch size is ", batch_size, ", expected at least 1");
  spec_ = seq2seq_batch_spec(batch_size, options.max_length, options.max_length + 1);
}

Tree<Scalar> SequenceSource::identity() const {
  Tree<Scalar> out;
  out["batch_size"] = Scalar(batch_size_);
  out["max_length"] = Scalar(options_.max_length);
  out["min_length"] = Scalar(options_.min_length);
  out["num_letters"] = Scalar(options_.num_letters);
  out["seed"] = Scalar(seed_);
  out["task"] = Scalar(task_name(options_.task));
  return out;
}

std::vector<std::int32_t> SequenceSource::word(std::int64_t step, std::int64_t row) const {
  threefry::KeyWords key = threefry::key(seed_, threefry::SeedWidth::bits64);
  key = threefry::block(key, static_cast<std::uint64_t>(step * batch_size_ + row));
  return draw_word(options_, key, /*held_out=*/false);
}

Batch SequenceSource::batch(std::int64_t step, Rows rows) const {
  std::vector<Word> words;
  for (std::int64_t row = rows.start; row < rows.stop; ++row)
    words.push_back(word(step, row));
  return batch_of(options_, words);
}

std::unique_ptr<Source> held_out_sequences(const SequenceOptions& options,
                                           std::int64_t batch_size,
                                           std::int64_t num_words) {
  check_options(options);
  MW_CHECK(num_words > 0, "data: held_out_sequences: num_words is ", num_words,
           ", expected at least 1");
  std::vector<Word> words;
  for (std::int64_t i = 0; i < num_words; ++i) {
    threefry::KeyWords key = threefry::block(kSequencesKey, static_cast<std::uint64_t>(i));
    words.push_back(draw_word(options, key, /*held_out=*/true));
  }
  Batch examples = batch_of(options, words);
  Tree<std::vector<std::string>> axes =
      map(seq2seq_batch_spec(1, 1, 1), [](const ArraySpec& spec) { return spec.axes; });
  return std::make_unique<InMemorySource>(std::move(examples), std::move(axes),
                                          InMemoryOptions{.batch_size = batch_size,
                                                          .shuffle = false,
                                                          .remainder = Remainder::pad,
                                                          .num_epochs = 1,
                                                          .name = "held_out_sequences"});
}

}  // namespace meshwright::data
