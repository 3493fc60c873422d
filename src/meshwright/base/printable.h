// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text safe to print on a terminal by escaping control characters as "\x1b".
#pragma once

#include <string>
#include <string_view>

namespace meshwright {

/// Escapes all control characters except those in `kept`.
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

/// Escapes a message, which may span several lines.
inline std::string printable_message(std::string_view text) {
  return printable(text, "\n\t");
}

/// Writes line breaks and backslashes as "\\n" and "\\\\", so that the text is one line.
inline std::string in_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out;
}

/// Escapes a name, which must stay on one line.
inline std::string printable_name(std::string_view text) {
  return printable(text, "");
}

}  // namespace meshwright
