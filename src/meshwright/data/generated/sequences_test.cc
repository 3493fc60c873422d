// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/sequences.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/seq2seq_batch.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;
using Word = std::vector<std::int32_t>;

TEST(Sequences, BatchesAreAPureFunction) {
  expect_pure(SequenceSource({}, 5, 3), 3);
  expect_pure(*held_out_sequences({}, 5, 12), 3);
}

TEST(Sequences, TargetsAreTheAnswerAndItsEnd) {
  SequenceSource source({.min_length = 3, .max_length = 4}, 1, 0);
  std::int64_t step = 0;
  while (source.word(step, 0).size() != 3)
    ++step;
  const Word word = source.word(step, 0);
  const Batch batch = whole_batch(source, step);
  EXPECT_THAT(ints(batch, kEncoderInputs), ElementsAre(word[0], word[1], word[2], 0));
  EXPECT_THAT(ints(batch, kDecoderInputs), ElementsAre(0, word[2], word[1], word[0], 0));
  EXPECT_THAT(ints(batch, kTargets), ElementsAre(word[2], word[1], word[0], kEndToken, 0));
  EXPECT_THAT(batch.at(kWeights).value().values<float>(), ElementsAre(1, 1, 1, 1, 0));
}

TEST(Sequences, MakesOfAWordWhatTheTaskSays) {
  EXPECT_EQ(sequence_answer(SequenceTask::copy, {5, 3, 4}), (Word{5, 3, 4}));
  EXPECT_EQ(sequence_answer(SequenceTask::reverse, {5, 3, 4}), (Word{4, 3, 5}));
  EXPECT_EQ(sequence_answer(SequenceTask::sort, {5, 3, 4}), (Word{3, 4, 5}));
}

TEST(Sequences, TrainingNeverSeesAHeldOutWord) {
  auto held_out = held_out_sequences({.max_length = 5}, 100, 300);
  std::set<Word> words;
  for (std::int64_t step = 0; step < *held_out->num_batches(); ++step) {
    std::vector<std::int32_t> ids = ints(whole_batch(*held_out, step), kEncoderInputs);
    for (auto row = ids.begin(); row != ids.end(); row += 5) {
      Word word(row, row + 5);
      while (!word.empty() && word.back() == kPadToken)
        word.pop_back();
      words.insert(word);
    }
  }
  EXPECT_GT(words.size(), 250u);
  SequenceSource source({.max_length = 5}, 100, 1);
  for (std::int64_t row = 0; row < 20'000; ++row)
    ASSERT_FALSE(words.contains(source.word(row / 100, row % 100)));
}

// If these change, older checkpoints have been trained on evaluation data.
TEST(Sequences, HeldOutWordsStayTheSame) {
  TextCodec codec = word_codec({});
  std::vector<std::int32_t> ids =
      ints(whole_batch(*held_out_sequences({}, 1, 1), 0), kEncoderInputs);
  EXPECT_EQ(codec.decode(ids), "yvygfb??");
}

TEST(Sequences, WordsBecomeTokensAndBack) {
  TextCodec codec = word_codec({.max_length = 4, .num_letters = 5});
  EXPECT_EQ(codec.encode("abe"), (Word{2, 3, 6}));
  EXPECT_EQ(codec.decode(Word{2, 3, 6, 99}), "abe?");
  EXPECT_THAT([&] { codec.encode("abf"); }, throws_with("'f' is not one of the letters a to e"));
  EXPECT_THAT([&] { codec.encode("abcde"); }, throws_with("at most 4"));
}

TEST(Sequences, RefusesWordsThatCannotBe) {
  EXPECT_THAT([] { SequenceSource({.min_length = 5, .max_length = 4}, 1, 0); },
              throws_with("5 to 4 letters"));
  EXPECT_THAT([] { SequenceSource({.num_letters = 27}, 1, 0); }, throws_with("num_letters is 27"));
  EXPECT_THAT(
      [] { held_out_sequences({.min_length = 1, .max_length = 1, .num_letters = 2}, 1, 1); },
      throws_with("so few words"));
}

TEST(TokenNumbers, AreReadAndWritten) {
  TextCodec codec = token_numbers();
  EXPECT_EQ(codec.encode(" 12 0\t7 "), (Word{12, 0, 7}));
  EXPECT_EQ(codec.decode(Word{12, 0, 7}), "12 0 7");
  EXPECT_THAT([&] { codec.encode("12 x"); }, throws_with("'x' is not a token number"));
  EXPECT_THAT([&] { codec.encode("-1"); }, throws_with("'-1' is not a token number"));
}

}  // namespace
}  // namespace meshwright::data
