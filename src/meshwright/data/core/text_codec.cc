// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/text_codec.h"

#include <charconv>
#include <sstream>

#include "meshwright/base/check.h"

namespace meshwright::data {
namespace {

std::int32_t token_of(const std::string& word) {
  std::int32_t token = 0;
  const char* end = word.data() + word.size();
  auto [stopped, error] = std::from_chars(word.data(), end, token);
  MW_CHECK(
      error == std::errc() && stopped == end && token >= 0, "prompt: '", word,
      "' is not a token number\nthis data has no text: write token numbers separated by spaces");
  return token;
}

}  // namespace

TextCodec token_numbers() {
  TextCodec out{.name = "token numbers"};
  out.encode = [](const std::string& text) {
    std::vector<std::int32_t> tokens;
    std::istringstream words(text);
    for (std::string word; words >> word;)
      tokens.push_back(token_of(word));
    return tokens;
  };
  out.decode = [](std::span<const std::int32_t> tokens) { return join(tokens, " "); };
  return out;
}

}  // namespace meshwright::data
