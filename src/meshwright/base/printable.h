// SPDX-License-Identifier: Apache-2.0
// What somebody else wrote, as it may be shown on a terminal: characters that would command it are
// written as "\x1b".
#pragma once

#include <string>
#include <string_view>

namespace meshwright {

/// All control characters but those in `kept`.
inline std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    bool is_control = code < 0x20 || code == 0x7f;
    if (!is_control || kept.find(c) != kept.npos) {
      out += c;
    } else {
      out += "\\x";
      out += "0123456789abcdef"[code >> 4];
      out += "0123456789abcdef"[code & 15];
    }
  }
  return out;
}

/// A message, which may have several lines.
inline std::string printable_message(std::string_view text) {
  return printable(text, "\n\t");
}

/// A name, which stays within its line.
inline std::string printable_name(std::string_view text) {
  return printable(text, "");
}

}  // namespace meshwright
