// SPDX-License-Identifier: Apache-2.0
// Additions as text, the data of the default job. "123+456=579" is written digit by digit from the
// lowest one up, as one adds on paper: "321+654=9750", the sum with a digit more than its terms.
// Every digit of the sum then depends on what stands before it, and a small model learns it
// quickly.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/source.h"

namespace meshwright::data {

/// Tokens are positions in this text.
inline constexpr std::string_view kArithmeticVocab = "0123456789+=";

struct Addition {
  int first = 0;
  int second = 0;
  int sum() const { return first + second; }
  bool operator==(const Addition&) const = default;
};

/// "123+456=", for people.
std::string to_string(const Addition& problem);

/// True for about one in 256 pairs of terms, whatever their order: these are never trained on. A
/// hash of the pair decides, so it is the same for all seeds and versions of this program.
bool is_held_out(const Addition& problem);

/// How additions of terms of 1 to 4 digits become tokens.
class ArithmeticText {
 public:
  /// Throws invalid_argument for another number of digits.
  explicit ArithmeticText(int num_digits = 3);

  int num_digits() const { return num_digits_; }
  /// Terms are less than this: 1000 for three digits.
  int limit() const { return limit_; }
  /// Tokens before the sum: "321+654=".
  int question_length() const { return 2 * num_digits_ + 2; }
  int answer_length() const { return num_digits_ + 1; }
  /// Tokens of question and answer. Batches have one less: the last one is a target only.
  int length() const { return question_length() + answer_length(); }

  /// Question and answer.
  std::vector<std::int32_t> tokens(const Addition& problem) const;
  /// The problem whose question these tokens begin with, if they do with one.
  std::optional<Addition> find_problem(std::span<const std::int32_t> tokens) const;
  /// The number that the tokens of an answer write, if they are that many and all of them digits.
  std::optional<int> find_answer(std::span<const std::int32_t> answer) const;
  /// "123+456=579" for the tokens of an answer that are right, "123+456=678 (579)" for those that
  /// are not, what is no number as it stands.
  std::string shown(const Addition& problem, std::span<const std::int32_t> answer) const;

 private:
  int num_digits_;
  int limit_;
};

struct ArithmeticOptions {
  std::int64_t batch_size = 0;
  std::int64_t seed = 0;
  int num_digits = 3;
};

/// Batches as in lm_batch.h without end: problems drawn at random, held-out ones never among them.
/// Only the sum has weight.
class ArithmeticSource : public Source {
 public:
  /// Throws invalid_argument for a batch size that is not positive.
  explicit ArithmeticSource(ArithmeticOptions options);

  std::string name() const override { return "arithmetic"; }
  const BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override;
  Batch batch(std::int64_t step, Rows rows) const override;

  /// The problem in this row of batch `step`.
  Addition problem(std::int64_t step, std::int64_t row) const;

 private:
  ArithmeticOptions options_;
  ArithmeticText text_;
  BatchSpec spec_;
};

/// All held-out problems, in order of their terms.
std::vector<Addition> held_out_additions(const ArithmeticText& text);
/// One pass over them, in an order that is always the same, with `example_weight`; padding has
/// weights 0. Throws invalid_argument if there are none.
std::unique_ptr<Source> held_out_arithmetic(std::int64_t batch_size, int num_digits = 3);

}  // namespace meshwright::data
