// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/source.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "meshwright/base/str.h"

namespace meshwright::config {
namespace {

constexpr std::size_t kMostShown = 90;  // characters of a line

std::string_view line_of(std::string_view text, std::size_t number) {
  for (std::size_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (number == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Returns the length of the UTF-8 sequence at the start of `text`; 0 if it is invalid.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || length > text.size()) return 0;
  const bool is_whole = std::all_of(text.begin() + 1, text.begin() + length, is_continuation);
  return is_whole ? length : 0;
}

/// Returns the characters of a line, safe for a terminal.
std::vector<std::string> characters(std::string_view line) {
  std::vector<std::string> result;
  while (!line.empty()) {
    const std::size_t length = sequence_length(line);
    const auto lead = static_cast<unsigned char>(line.front());
    const bool is_control = length == 1 && (lead < 0x20 || lead == 0x7F);
    if (length == 0) {
      result.emplace_back("?");
    } else if (is_control) {
      result.emplace_back(lead == '\t' ? " " : "?");
    } else {
      result.emplace_back(line.substr(0, length));
    }
    line.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return join(characters(text), "");
}

std::string to_string(const Origin& origin) {
  if (!origin.source) return "default";
  if (origin.source->is_override || origin.line == 0) return origin.source->name;
  return str(origin.source->name, ":", origin.line, ":", origin.column);
}

std::string excerpt(const Origin& origin) {
  if (!origin.source || origin.line == 0) return "";
  const auto line = characters(line_of(origin.source->text, origin.line));
  if (line.empty()) return "";
  const std::size_t at = std::min(std::max<std::size_t>(origin.column, 1) - 1, line.size());
  const std::size_t begin = at < kMostShown - 10 ? 0 : at - kMostShown / 2;
  const std::size_t end = std::min(line.size(), begin + kMostShown);
  const std::string number = origin.source->is_override ? "" : str(origin.line);
  std::string shown = begin > 0 ? "..." : "";
  const std::string gap((begin > 0 ? 3 : 0) + at - begin, ' ');
  for (std::size_t i = begin; i < end; ++i)
    shown += line[i];
  if (end < line.size()) shown += "...";
  return str("  ", number, " | ", shown, "\n  ", std::string(number.size(), ' '), " | ", gap,
             "^\n");
}

}  // namespace meshwright::config
