// SPDX-License-Identifier: Apache-2.0
// What a value must be like, beside being of its type.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace meshwright::config {

/// Limits. Those of numbers hold for each element of a list or map.
struct Check {
  std::optional<double> above = {};
  std::optional<double> at_least = {};
  std::optional<double> below = {};
  std::optional<double> at_most = {};
  bool non_empty = false;  // strings, lists and maps
};

inline constexpr Check kPositive{.above = 0};
inline constexpr Check kNotNegative{.at_least = 0};
/// From 0 to 1, both included.
inline constexpr Check kFraction{.at_least = 0, .at_most = 1};
/// From 0 to 1, without 1: decay rates, dropout.
inline constexpr Check kBelowOne{.at_least = 0, .below = 1};
inline constexpr Check kNonEmpty{.non_empty = true};

constexpr Check at_least(double bound) {
  return {.at_least = bound};
}
constexpr Check between(double low, double high) {
  return {.at_least = low, .at_most = high};
}

/// A string (or each of a list) that must be one of these. An enum is better where code branches.
struct OneOf {
  std::vector<std::string> values;
};
inline OneOf one_of(std::vector<std::string> values) {
  return {std::move(values)};
}

/// Any predicate over the member's own type: rule("be a power of two", [](std::int64_t n) {...}).
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

/// All that is checked of one field, without its type.
struct Checks {
  Check limits = {};
  std::vector<std::string> one_of = {};
  std::string rule = {};
  std::function<bool(const void*)> holds = {};
};

/// What the numbers and the size are limited to, "at least 0 and at most 1"; empty if nothing is.
std::string limits_text(const Check& limits);

}  // namespace meshwright::config
