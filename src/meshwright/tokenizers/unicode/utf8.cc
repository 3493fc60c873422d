// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unicode/utf8.h"

#include <cstring>

namespace meshwright::tokenizers {
namespace {

struct Sequence {
  int length;  // of the code point, or of the bytes that one U+FFFD replaces
  bool valid;
};

// Returns the sequence at the start of `text`, whose first byte is not ASCII.
Sequence first_sequence(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0xc2 || first > 0xf4) return {1, false};
  // The second byte excludes overlong forms, surrogates and code points above 0x10ffff.
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (text.size() < 2 || byte(1) < least || byte(1) > most) return {1, false};
  const int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (int i = 2; i < length; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (at >= text.size() || !is_continuation(text[at])) return {i, false};
  }
  return {length, true};
}

std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    if ((bytes & 0x8080808080808080) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80)
    ++at;
  return at;
}

}  // namespace

void append_utf8(std::string& text, char32_t code) {
  const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xe0 | code >> 12);
    } else {
      add(0xf0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3f));
    }
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

std::size_t utf8_prefix_size(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    at += ascii_prefix(text.substr(at));
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) {
      const Sequence sequence = first_sequence(text.substr(at));
      if (!sequence.valid) return at;
      at += static_cast<std::size_t>(sequence.length);
    }
    if (at == text.size()) return at;
  }
}

std::string_view to_valid_utf8(std::string_view text, std::string& storage) {
  std::size_t valid = utf8_prefix_size(text);
  if (valid == text.size()) return text;
  storage.clear();
  while (true) {
    storage.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) return storage;
    append_utf8(storage, 0xfffd);
    text.remove_prefix(static_cast<std::size_t>(first_sequence(text).length));
    valid = utf8_prefix_size(text);
  }
}

}  // namespace meshwright::tokenizers
