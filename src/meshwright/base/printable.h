// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meshwright {

/// The text for a terminal: characters that would command it are written as "\x1b"; the ends of
/// lines and tabs stay. For messages that quote what somebody else wrote.
inline std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n' && c != '\t') || code == 0x7f) {
      out += "\\x";
      out += "0123456789abcdef"[code >> 4];
      out += "0123456789abcdef"[code & 15];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace meshwright
