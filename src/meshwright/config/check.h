// SPDX-License-Identifier: Apache-2.0
// Constraints on values beyond their types.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace meshwright::config {

/// Limits. For a list or map, numeric limits apply to each element.
struct Check {
  std::optional<double> above = {};
  std::optional<double> at_least = {};
  std::optional<double> below = {};
  std::optional<double> at_most = {};
  bool non_empty = false;  // strings, lists and maps
};

inline constexpr Check kPositive{.above = 0};
inline constexpr Check kNotNegative{.at_least = 0};
/// From 0 to 1, inclusive.
inline constexpr Check kFraction{.at_least = 0, .at_most = 1};
/// At least 0 and below 1: decay rates, dropout.
inline constexpr Check kBelowOne{.at_least = 0, .below = 1};
inline constexpr Check kNonEmpty{.non_empty = true};

constexpr Check at_least(double bound) {
  return {.at_least = bound};
}
constexpr Check between(double low, double high) {
  return {.at_least = low, .at_most = high};
}

/// Allowed values of a string, or of each string in a list. Prefer an enum if code branches on it.
struct OneOf {
  std::vector<std::string> values;
};
inline OneOf one_of(std::vector<std::string> values) {
  return {std::move(values)};
}

/// Any predicate over the type of the member: rule("be a power of two", [](std::int64_t n) {...}).
/// The text completes the sentence "it must ...".
template <typename Predicate>
struct Rule {
  std::string text;
  Predicate holds;
};
template <typename Predicate>
Rule<Predicate> rule(std::string text, Predicate holds) {
  return {std::move(text), std::move(holds)};
}

/// All constraints of a field, independent of its type.
struct Checks {
  Check limits = {};
  std::vector<std::string> one_of = {};
  std::string rule = {};
  std::function<bool(const void*)> holds = {};
};

/// Returns the limits as text, "at least 0 and at most 1"; empty if there are none.
std::string limits_text(const Check& limits);

}  // namespace meshwright::config
