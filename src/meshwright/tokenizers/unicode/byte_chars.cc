// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unicode/byte_chars.h"

#include <array>

#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

constexpr char32_t kEnd = 256 + 68;  // 68 bytes are not printable

struct Tables {
  std::array<std::string, 256> chars;
  std::array<int, kEnd> bytes;

  Tables() {
    bytes.fill(-1);
    char32_t next = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
      const char32_t code = printable ? byte : next++;
      append_utf8(chars[byte], code);
      bytes[code] = static_cast<int>(byte);
    }
  }
};

const Tables& tables() {
  static const Tables tables;
  return tables;
}

}  // namespace

std::string_view byte_char(unsigned char byte) {
  return tables().chars[byte];
}

void append_byte_chars(std::string_view bytes, std::string& out) {
  const Tables& known = tables();
  for (const char byte : bytes)
    out += known.chars[static_cast<unsigned char>(byte)];
}

std::optional<std::string> bytes_of_chars(std::string_view text) {
  const Tables& known = tables();
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_valid(text.data() + at);
    const int byte = point.code < kEnd ? known.bytes[point.code] : -1;
    if (byte < 0) return std::nullopt;
    out += static_cast<char>(byte);
    at += static_cast<std::size_t>(point.length);
  }
  return out;
}

}  // namespace meshwright::tokenizers
