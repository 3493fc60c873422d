// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/path.h"

#include <charconv>

#include "meshwright/base/str.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::config {

std::optional<std::vector<std::string>> find_path_parts(std::string_view path) {
  constexpr std::size_t kMostParts = 64;
  std::vector<std::string> parts(1);
  bool was_quoted = false;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const char c = path[at];
    if ((c == '"' || c == '\'') && parts.back().empty() && !was_quoted) {
      const std::size_t end = path.find(c, at + 1);
      if (end == std::string_view::npos) return std::nullopt;
      parts.back() = path.substr(at + 1, end - at - 1);
      at = end;
      was_quoted = true;
    } else if (c == '.') {
      if (parts.back().empty() && !was_quoted) return std::nullopt;
      parts.emplace_back();
      was_quoted = false;
    } else if (was_quoted || static_cast<unsigned char>(c) <= ' ') {
      return std::nullopt;
    } else {
      parts.back() += c;
    }
  }
  if ((parts.back().empty() && !was_quoted) || parts.size() > kMostParts) return std::nullopt;
  return parts;
}

std::optional<std::size_t> find_position(std::string_view key) {
  std::size_t position = 0;
  const char* end = key.data() + key.size();
  auto [stopped, error] = std::from_chars(key.data(), end, position);
  if (error != std::errc() || stopped != end || key.empty()) return std::nullopt;
  return position;
}

std::string join_path(std::string_view path, std::string_view key) {
  return path.empty() ? toml_key(key) : str(path, ".", toml_key(key));
}

}  // namespace meshwright::config
