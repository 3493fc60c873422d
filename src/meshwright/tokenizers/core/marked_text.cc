// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/marked_text.h"

#include <algorithm>

namespace meshwright::tokenizers {

std::size_t valid_utf8_prefix(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates and values beyond U+10FFFF show in the second byte.
  const unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  return byte(1) < least || byte(1) > most ? 0 : length;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = valid_utf8_prefix(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string marked(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t end = std::min(utf8.find(kMarkUtf8, at), utf8.size());
    out += utf8.substr(at, end - at);
    if (end < utf8.size()) out += kMark;
    at = end + kMarkUtf8.size();
  }
  return out;
}

void append_unmarked(std::string_view marked, std::string_view space, std::string& out) {
  for (std::size_t at = 0; at < marked.size();) {
    const std::size_t end = std::min(marked.find(kMark, at), marked.size());
    out += marked.substr(at, end - at);
    if (end < marked.size()) out += space;
    at = end + 1;
  }
}

}  // namespace meshwright::tokenizers
