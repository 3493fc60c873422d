// SPDX-License-Identifier: Apache-2.0
// Internal to split/.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace meshwright::tokenizers {

/// A compiled pattern of the PCRE2 library. Thread-safe.
class Pcre2Pattern {
 public:
  /// Throws invalid_argument if the pattern is not valid, unimplemented if it matches empty text.
  /// `original` is the pattern for messages.
  Pcre2Pattern(const std::string& pattern, std::string original);

 private:
  friend class Pcre2Matcher;
  struct Compiled;

  std::string original_;
  std::shared_ptr<const Compiled> compiled_;
};

/// Finds the matches of a pattern in one text. Views must outlive it.
class Pcre2Matcher {
 public:
  /// `text` must be valid UTF-8.
  Pcre2Matcher(const Pcre2Pattern& pattern, std::string_view text);
  ~Pcre2Matcher();
  Pcre2Matcher(const Pcre2Matcher&) = delete;
  Pcre2Matcher& operator=(const Pcre2Matcher&) = delete;

  /// Returns the first match that starts at offset `at` or later. Throws resource_exhausted if
  /// matching exceeds a limit on backtracking.
  std::optional<std::string_view> find(std::size_t at);

 private:
  struct State;

  const Pcre2Pattern& pattern_;
  std::string_view text_;
  std::unique_ptr<State> state_;
};

}  // namespace meshwright::tokenizers
