// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/tokenizer.h"

#include <algorithm>

namespace meshwright::tokenizers {
namespace {

constexpr std::size_t kMostBytes = 4;  // of a character in UTF-8

// Returns the length of the character that the byte begins; 0 if it continues one.
std::size_t length_of_character(char first_byte) {
  const auto byte = static_cast<unsigned char>(first_byte);
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// True if more bytes may complete a character at the end.
bool ends_within_character(std::string_view text) {
  for (std::size_t size = 1; size <= std::min(text.size(), kMostBytes); ++size)
    if (const std::size_t length = length_of_character(text[text.size() - size]))
      return length > size;
  return false;
}

// Returns at least the last bytes of the text that a character may have.
std::string end_of_text(const Tokenizer& tokenizer, std::span<const Id> ids) {
  std::string out;
  for (; !ids.empty() && out.size() < kMostBytes; ids = ids.first(ids.size() - 1))
    out.insert(0, tokenizer.bytes(ids.back()));
  return out;
}

}  // namespace

std::size_t Tokenizer::num_settled(std::span<const Id> ids) const {
  while (!ids.empty() && ends_within_character(end_of_text(*this, ids)))
    ids = ids.first(ids.size() - 1);
  return ids.size();
}

}  // namespace meshwright::tokenizers
