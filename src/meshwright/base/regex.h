// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright {

/// A pattern that must match the whole of a text, as Python's re.fullmatch. The grammar is that of
/// PCRE2 over UTF-8, which for paths and names means the same; '{,n}' must be written '{0,n}'.
class Regex {
 public:
  /// Throws invalid_argument with the pattern and what is wrong with it.
  explicit Regex(std::string pattern);

  /// Throws invalid_argument where that would take for ever, as "(a*)*b" does.
  bool matches(std::string_view text) const { return groups(text).has_value(); }
  /// The whole text, then what each group matched, nothing for one that took no part; absent if the
  /// pattern does not match. Throws as matches(). The views are of `text`.
  std::optional<std::vector<std::string_view>> groups(std::string_view text) const;
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
