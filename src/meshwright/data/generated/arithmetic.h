// SPDX-License-Identifier: Apache-2.0
// Additions as text, the data for the default job. "123+456=579" is written with the lowest digit
// first, as in column addition: "321+654=9750". The sum has one more digit than its terms. This
// way, each digit of the sum depends only on earlier tokens, so a small model learns quickly.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

/// A token is an index into this text.
inline constexpr std::string_view kArithmeticVocab = "0123456789+=";

struct Addition {
  int first = 0;
  int second = 0;
  int sum() const { return first + second; }
  bool operator==(const Addition&) const = default;
};

/// Returns text such as "123+456=", in ordinary digit order.
std::string to_string(const Addition& problem);

/// True for about one in 256 pairs of terms, in either order. These are never used for training.
/// The choice depends only on a hash of the pair, so it is the same for all seeds and versions.
bool is_held_out(const Addition& problem);

/// Converts between tokens and additions of terms with 1 to 4 digits.
class ArithmeticText {
 public:
  /// Throws invalid_argument unless 1 <= num_digits <= 4.
  explicit ArithmeticText(int num_digits = 3);

  int num_digits() const { return num_digits_; }
  /// Exclusive upper bound of the terms: 1000 for three digits.
  int limit() const { return limit_; }
  /// Number of tokens before the sum: "321+654=".
  int question_length() const { return 2 * num_digits_ + 2; }
  int answer_length() const { return num_digits_ + 1; }
  /// Number of tokens in the question and the answer. Rows of a batch have one fewer, since the
  /// last token is only a target.
  int length() const { return question_length() + answer_length(); }

  /// Returns the tokens of the question and the answer.
  std::vector<std::int32_t> tokens(const Addition& problem) const;
  /// Returns the problem at the start of these tokens; nullopt if they do not start with one.
  std::optional<Addition> find_problem(std::span<const std::int32_t> tokens) const;
  /// Returns the number that the tokens of an answer encode; nullopt unless they are
  /// answer_length() digits.
  std::optional<int> find_answer(std::span<const std::int32_t> answer) const;
  /// Returns text such as "123+456=579" if the answer is correct, and "123+456=678 (579)" if it is
  /// wrong. An answer that is not a number is shown verbatim.
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

/// An endless stream of batches as described in lm_batch.h, with random problems that are not held
/// out. Only the tokens of the sum have nonzero weight.
class ArithmeticSource : public Source {
 public:
  /// Throws invalid_argument unless the batch size is positive.
  explicit ArithmeticSource(ArithmeticOptions options);

  std::string name() const override { return "arithmetic"; }
  const BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override;
  Batch batch(std::int64_t step, Rows rows) const override;

  /// Returns the problem in this row of batch `step`.
  Addition problem(std::int64_t step, std::int64_t row) const;

 private:
  ArithmeticOptions options_;
  ArithmeticText text_;
  BatchSpec spec_;
};

/// Returns all held-out problems, ordered by their terms.
std::vector<Addition> held_out_additions(const ArithmeticText& text);
/// Returns one pass over the held-out problems, in a fixed order, with an `example_weight` that is
/// 0 for padding. Throws invalid_argument if there are none.
std::unique_ptr<Source> held_out_arithmetic(std::int64_t batch_size, int num_digits = 3);

}  // namespace meshwright::data
