// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright {

/// A regular expression that must match the whole text, as in Python's re.fullmatch. Uses the PCRE2
/// grammar over UTF-8, which agrees with Python's for paths and names, except that '{,n}' must be
/// written '{0,n}'.
class Regex {
 public:
  /// Throws invalid_argument, with the reason, if the pattern is not a valid regular expression.
  explicit Regex(std::string pattern);

  /// Throws invalid_argument if matching exceeds a limit on backtracking, as it can with "(a*)*b".
  bool matches(std::string_view text) const { return groups(text).has_value(); }
  /// Returns the whole text followed by the match of each group (a null view for a group that did
  /// not participate); nullopt if the pattern does not match. Throws the errors of matches(). The
  /// views point into `text`.
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
