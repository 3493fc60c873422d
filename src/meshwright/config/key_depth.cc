// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/key_depth.h"

#include <algorithm>

namespace meshwright::config {
namespace {

/// Returns the position after the string that starts at `at`. An unterminated string ends with its
/// line, where the parser stops too.
std::size_t skip_string(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  const bool is_multiline = toml.substr(at, 3) == triple;
  at += is_multiline ? 3 : 1;
  while (at < toml.size()) {
    if (toml[at] == '\\' && quote == '"') {
      at += 2;
    } else if (is_multiline && toml.substr(at, 3) == triple) {
      at += 3;
      while (at < toml.size() && toml[at] == quote)
        ++at;  // up to two more quotes belong to the text
      return at;
    } else if (!is_multiline && toml[at] == quote) {
      return at + 1;
    } else if (!is_multiline && toml[at] == '\n') {
      return at;
    } else {
      ++at;
    }
  }
  return toml.size();
}

}  // namespace

std::optional<std::size_t> find_line_of_deep_key(std::string_view toml, std::size_t most) {
  constexpr std::string_view kEndsKey = "\n=,[]{}";
  std::size_t num_parts = 1;
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at = skip_string(toml, at);
      continue;
    }
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }
    if (c == '.' && ++num_parts > most)
      return 1 + static_cast<std::size_t>(std::count(
                     toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    if (kEndsKey.find(c) != std::string_view::npos) num_parts = 1;
    ++at;
  }
  return std::nullopt;
}

}  // namespace meshwright::config
