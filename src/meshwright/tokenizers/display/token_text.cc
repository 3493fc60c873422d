// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/display/token_text.h"

#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

// A character has at most 4 bytes, so at most 4 tokens.
constexpr std::size_t kMaxGroup = 4;

bool is_whole(std::string_view text) {
  return utf8_prefix_size(text) == text.size();
}

// Returns the shortest group of tokens from `begin` on whose text is whole characters, or one token
// if there is none.
TokenText group_at(const Tokenizer& tokenizer,
                   std::span<const Id> ids,
                   std::size_t begin,
                   bool is_start) {
  const std::string alone = tokenizer.bytes(ids[begin], is_start);
  std::string text = alone;
  std::size_t end = begin + 1;
  while (!is_whole(text) && end < ids.size() && end - begin < kMaxGroup)
    text += tokenizer.bytes(ids[end++]);
  if (is_whole(text)) return {.begin = begin, .end = end, .text = std::move(text)};
  return {.begin = begin, .end = begin + 1, .text = alone};
}

// Returns the name of a token that adds nothing to a text.
TokenText named(const Tokenizer& tokenizer, std::span<const Id> ids, std::size_t at) {
  const Id id = ids[at];
  const bool is_known = id >= 0 && id < tokenizer.vocab_size();
  return {.begin = at,
          .end = at + 1,
          .text = is_known ? tokenizer.piece(id) : str("<", id, ">"),
          .is_special = true};
}

void append_hex(std::string& out, std::uint32_t value, int num_digits) {
  for (int i = num_digits - 1; i >= 0; --i)
    out += "0123456789abcdef"[value >> (4 * i) & 15];
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

bool changes_direction(char32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

void append_escaped(std::string& out, std::string_view character, char32_t code) {
  if (is_control(code)) {
    out += "\\x";
    append_hex(out, code, 2);
  } else if (changes_direction(code)) {
    out += "\\u";
    append_hex(out, code, 4);
  } else {
    out += character;
  }
}

}  // namespace

std::vector<TokenText> token_texts(const Tokenizer& tokenizer,
                                   std::span<const Id> ids,
                                   bool is_start) {
  std::vector<TokenText> out;
  for (std::size_t at = 0; at < ids.size(); at = out.back().end) {
    TokenText group = group_at(tokenizer, ids, at, is_start);
    if (group.text.empty()) {
      out.push_back(named(tokenizer, ids, at));
    } else {
      out.push_back(std::move(group));
      is_start = false;
    }
  }
  return out;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const std::string_view valid = text.substr(0, utf8_prefix_size(text));
    for (std::size_t at = 0; at < valid.size();) {
      const auto [code, length] = decode_valid(valid.data() + at);
      const std::string_view character = valid.substr(at, static_cast<std::size_t>(length));
      if (kept.find(character) != kept.npos) {
        out += character;
      } else {
        append_escaped(out, character, code);
      }
      at += character.size();
    }
    text.remove_prefix(valid.size());
    if (text.empty()) break;
    out += "\\x";
    append_hex(out, static_cast<unsigned char>(text.front()), 2);
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace meshwright::tokenizers
