// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/arithmetic.h"

#include <algorithm>

#include "meshwright/base/threefry.h"
#include "meshwright/data/core/in_memory.h"
#include "meshwright/data/core/lm_batch.h"

namespace meshwright::data {
namespace {

constexpr std::int32_t kPlus = 10;
constexpr std::int32_t kEquals = 11;
constexpr std::uint32_t kHeldOutOneIn = 256;
constexpr threefry::KeyWords kHeldOutKey = {0x6d657368, 0x61646431};

void append_digits(std::vector<std::int32_t>& out, int number, int num_digits) {
  for (int i = 0; i < num_digits; ++i, number /= 10)
    out.push_back(number % 10);
}

std::optional<int> find_number(std::span<const std::int32_t> digits) {
  int number = 0;
  for (std::size_t i = digits.size(); i > 0; --i) {
    if (digits[i - 1] < 0 || digits[i - 1] > 9) return std::nullopt;
    number = 10 * number + digits[i - 1];
  }
  return number;
}

// Returns a batch with one problem per row.
Batch batch_of(const ArithmeticText& text, const std::vector<Addition>& problems) {
  const auto length = static_cast<std::size_t>(text.length()) - 1;
  Batch out = empty_lm_batch(std::ssize(problems), text.length() - 1);
  auto inputs = out.at(kInputs).value().mutable_values<std::int32_t>();
  auto targets = out.at(kTargets).value().mutable_values<std::int32_t>();
  auto weights = out.at(kWeights).value().mutable_values<float>();
  const auto answer_length = static_cast<std::size_t>(text.answer_length());
  std::size_t at = 0;
  for (const Addition& problem : problems) {
    const std::vector<std::int32_t> tokens = text.tokens(problem);
    for (std::size_t i = 0; i < length; ++i, ++at) {
      inputs[at] = tokens[i];
      targets[at] = tokens[i + 1];
      weights[at] = i + answer_length >= length ? 1.0f : 0.0f;
    }
  }
  return out;
}

}  // namespace

std::string to_string(const Addition& problem) {
  return str(problem.first, "+", problem.second, "=");
}

bool is_held_out(const Addition& problem) {
  auto [low, high] = std::minmax(problem.first, problem.second);
  threefry::KeyWords words = threefry::hash(
      kHeldOutKey, {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)});
  return words[0] % kHeldOutOneIn == 0;
}

ArithmeticText::ArithmeticText(int num_digits) : num_digits_(num_digits), limit_(1) {
  MW_CHECK(num_digits >= 1 && num_digits <= 4, "data: arithmetic: num_digits is ", num_digits,
           ", expected 1 to 4");
  for (int i = 0; i < num_digits; ++i)
    limit_ *= 10;
}

std::vector<std::int32_t> ArithmeticText::tokens(const Addition& problem) const {
  MW_CHECK(std::min(problem.first, problem.second) >= 0 &&
               std::max(problem.first, problem.second) < limit_,
           "data: arithmetic: ", problem, " has more than ", num_digits_, " digits");
  std::vector<std::int32_t> out;
  append_digits(out, problem.first, num_digits_);
  out.push_back(kPlus);
  append_digits(out, problem.second, num_digits_);
  out.push_back(kEquals);
  append_digits(out, problem.sum(), answer_length());
  return out;
}

std::optional<Addition> ArithmeticText::find_problem(std::span<const std::int32_t> tokens) const {
  const auto digits = static_cast<std::size_t>(num_digits_);
  if (tokens.size() < 2 * digits + 2) return std::nullopt;
  if (tokens[digits] != kPlus || tokens[2 * digits + 1] != kEquals) return std::nullopt;
  std::optional<int> first = find_number(tokens.first(digits));
  std::optional<int> second = find_number(tokens.subspan(digits + 1, digits));
  if (!first || !second) return std::nullopt;
  return Addition{*first, *second};
}

std::optional<int> ArithmeticText::find_answer(std::span<const std::int32_t> answer) const {
  if (std::ssize(answer) != answer_length()) return std::nullopt;
  return find_number(answer);
}

std::string ArithmeticText::shown(const Addition& problem,
                                  std::span<const std::int32_t> answer) const {
  std::string out = to_string(problem);
  std::optional<int> number = find_answer(answer);
  if (number) {
    out += str(*number);
  } else {
    for (std::int32_t token : answer) {
      bool is_known = token >= 0 && token < std::ssize(kArithmeticVocab);
      out += is_known ? kArithmeticVocab[static_cast<std::size_t>(token)] : '?';
    }
  }
  if (number != problem.sum()) out += str(" (", problem.sum(), ")");
  return out;
}

ArithmeticSource::ArithmeticSource(ArithmeticOptions options)
    : options_(options), text_(options.num_digits) {
  MW_CHECK(options.batch_size > 0, "data: arithmetic: batch size is ", options.batch_size,
           ", expected at least 1");
  spec_ = lm_batch_spec(options.batch_size, text_.length() - 1);
}

Tree<Scalar> ArithmeticSource::identity() const {
  Tree<Scalar> out;
  out["batch_size"] = Scalar(options_.batch_size);
  out["num_digits"] = Scalar(std::int64_t{options_.num_digits});
  out["seed"] = Scalar(options_.seed);
  return out;
}

Addition ArithmeticSource::problem(std::int64_t step, std::int64_t row) const {
  const auto limit = static_cast<std::uint32_t>(text_.limit());
  threefry::KeyWords key =
      threefry::block(threefry::key(options_.seed, threefry::SeedWidth::bits64),
                      static_cast<std::uint64_t>(step * options_.batch_size + row));
  for (std::uint64_t attempt = 0;; ++attempt) {
    threefry::KeyWords words = threefry::block(key, attempt);
    Addition drawn{static_cast<int>(words[0] % limit), static_cast<int>(words[1] % limit)};
    if (!is_held_out(drawn)) return drawn;
  }
}

Batch ArithmeticSource::batch(std::int64_t step, Rows rows) const {
  std::vector<Addition> problems;
  for (std::int64_t row = rows.start; row < rows.stop; ++row)
    problems.push_back(problem(step, row));
  return batch_of(text_, problems);
}

std::vector<Addition> held_out_additions(const ArithmeticText& text) {
  std::vector<Addition> out;
  for (int first = 0; first < text.limit(); ++first) {
    for (int second = 0; second < text.limit(); ++second) {
      if (is_held_out({first, second})) out.push_back({first, second});
    }
  }
  return out;
}

std::unique_ptr<Source> held_out_arithmetic(std::int64_t batch_size, int num_digits) {
  const ArithmeticText text(num_digits);
  Batch examples = batch_of(text, held_out_additions(text));
  auto axes = map(examples, [](const HostTensor&) {
    return std::vector<std::string>{std::string(kBatchAxis), "len"};
  });
  return std::make_unique<InMemorySource>(std::move(examples), axes,
                                          InMemoryOptions{.batch_size = batch_size,
                                                          .remainder = Remainder::pad,
                                                          .num_epochs = 1,
                                                          .name = "held_out_arithmetic"});
}

}  // namespace meshwright::data
