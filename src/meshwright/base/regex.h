// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace meshwright {

/// A pattern that must match the whole of a text, as Python's re.fullmatch. The grammar is that of
/// ECMAScript, which for paths and names means the same; what differs is refused or rare: named
/// groups, inline flags and look-behind do not exist, '.' does not match a carriage return, a ']'
/// right after '[' must be written '\]', and '{,n}' must be written '{0,n}'.
class Regex {
 public:
  /// Throws invalid_argument with the pattern and what is wrong with it.
  explicit Regex(std::string pattern);

  bool matches(std::string_view text) const;
  const std::string& pattern() const { return pattern_; }

 private:
  struct Compiled;

  std::string pattern_;
  std::shared_ptr<const Compiled> compiled_;
};

inline std::string to_string(const Regex& regex) {
  return "'" + regex.pattern() + "'";
}

}  // namespace meshwright
