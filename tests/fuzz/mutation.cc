// SPDX-License-Identifier: Apache-2.0
#include "mutation.h"

#include <algorithm>
#include <string_view>

namespace meshwright::fuzz {
namespace {

constexpr std::size_t kMaxBytes = 4096;
constexpr std::string_view kLikelyBytes =
    "\"'()[]{}<>/\\|,.:;=-+_*?^$# \t\n\r0123456789aeEnu\0\x7f\xff";
constexpr std::string_view kLikelyTexts[] = {"9223372036854775808",
                                             "-1",
                                             "1e999",
                                             "nan",
                                             "\xed\xa0\x80",
                                             "\xf4\x90\x80\x80",
                                             "\\u0000",
                                             "((((((((",
                                             "[[",
                                             "{\"",
                                             "->",
                                             "{1,99999}",
                                             "(?!",
                                             "'''"};

}  // namespace

std::string Mutator::mutated(std::span<const std::string> inputs) {
  std::string bytes = inputs[below(inputs.size())];
  for (std::size_t n = 1 + below(8); n > 0; --n)
    change(bytes, inputs);
  bytes.resize(std::min(bytes.size(), kMaxBytes));
  return bytes;
}

void Mutator::change(std::string& bytes, std::span<const std::string> inputs) {
  std::size_t at = below(bytes.size() + 1);
  std::size_t num = 1 + below(8);
  switch (below(7)) {
    case 0:  // flip a bit
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      return;
    case 1:
      if (at < bytes.size()) bytes[at] = kLikelyBytes[below(kLikelyBytes.size())];
      return;
    case 2:
      bytes.insert(at, 1, kLikelyBytes[below(kLikelyBytes.size())]);
      return;
    case 3:
      bytes.insert(at, kLikelyTexts[below(std::size(kLikelyTexts))]);
      return;
    case 4:  // remove a piece
      bytes.erase(at, num);
      return;
    case 5:  // repeat a piece
      bytes.insert(at, std::string(bytes, below(bytes.size() + 1), num));
      return;
    default: {  // insert a piece of another input
      const std::string& other = inputs[below(inputs.size())];
      bytes.insert(at, other, below(other.size() + 1), 1 + below(32));
    }
  }
}

std::size_t Mutator::below(std::size_t limit) {
  return random_() % limit;
}

}  // namespace meshwright::fuzz
