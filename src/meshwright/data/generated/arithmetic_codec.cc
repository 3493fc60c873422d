// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/arithmetic_codec.h"

#include <charconv>

#include "meshwright/data/generated/arithmetic.h"

namespace meshwright::data {
namespace {

int term_of(const std::string& prompt, std::string_view text, int limit) {
  int term = 0;
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, term);
  MW_CHECK(error == std::errc() && stopped == end && term >= 0 && term < limit, "prompt: '", prompt,
           "' is not an addition such as 1+2=\nits terms are numbers from 0 to ", limit - 1);
  return term;
}

// Parses a problem, with or without '=' at the end.
Addition problem_of(const std::string& prompt, int limit) {
  std::string_view text = prompt;
  if (text.ends_with('=')) text.remove_suffix(1);
  const std::size_t plus = std::min(text.find('+'), text.size());
  return {term_of(prompt, text.substr(0, plus), limit),
          term_of(prompt, text.substr(std::min(plus + 1, text.size())), limit)};
}

}  // namespace

TextCodec arithmetic_codec(int num_digits) {
  const ArithmeticText text(num_digits);
  TextCodec out{.name = "additions"};
  out.encode = [text](const std::string& prompt) {
    std::vector<std::int32_t> tokens = text.tokens(problem_of(prompt, text.limit()));
    tokens.resize(static_cast<std::size_t>(text.question_length()));
    return tokens;
  };
  out.decode = [text](std::span<const std::int32_t> tokens) {
    if (std::optional<int> answer = text.find_answer(tokens)) return str(*answer);
    std::string symbols;
    for (std::int32_t token : tokens) {
      const bool is_known = token >= 0 && token < std::ssize(kArithmeticVocab);
      symbols += is_known ? kArithmeticVocab[static_cast<std::size_t>(token)] : '?';
    }
    return symbols;
  };
  out.max_tokens = text.answer_length();
  return out;
}

}  // namespace meshwright::data
