// SPDX-License-Identifier: Apache-2.0
// Assigns values to parameters by patterns that match their paths.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/base/str.h"

namespace meshwright::optim {

/// A list of patterns with values. The first pattern that matches the whole path applies.
template <typename T>
class PathRules {
 public:
  struct Rule {
    Regex pattern;
    T value;
  };

  using Entry = std::pair<std::string, T>;

  PathRules() = default;
  /// Throws invalid_argument if a pattern is not a valid regular expression.
  PathRules(std::initializer_list<Entry> entries) : PathRules(std::vector<Entry>(entries)) {}
  explicit PathRules(const std::vector<Entry>& entries) {
    for (const auto& [pattern, value] : entries)
      rules_.push_back({Regex(pattern), value});
  }

  bool empty() const { return rules_.empty(); }
  const std::vector<Rule>& rules() const { return rules_; }

  /// Returns the value of the first matching pattern, or nullptr.
  const T* find(std::string_view path) const {
    for (const Rule& rule : rules_) {
      if (rule.pattern.matches(path)) return &rule.value;
    }
    return nullptr;
  }
  T value_or(std::string_view path, T otherwise) const {
    const T* found = find(path);
    return found != nullptr ? *found : otherwise;
  }

  /// Returns one line for each pattern that applies to none of these paths. `table` is the name
  /// used for this list in the messages.
  std::vector<std::string> unused(const std::vector<std::string>& paths,
                                  std::string_view table) const {
    std::vector<bool> used(rules_.size(), false);
    for (const std::string& path : paths) {
      if (const T* found = find(path)) used[index_of(found)] = true;
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (!used[i]) {
        out.push_back(str(table, ": the pattern ", rules_[i].pattern, " applies to no parameter"));
      }
    }
    return out;
  }

 private:
  std::size_t index_of(const T* value) const {
    std::size_t i = 0;
    while (&rules_[i].value != value)
      ++i;
    return i;
  }

  std::vector<Rule> rules_;
};

/// Returns rules made from structs with a pattern `params` and a member `value`.
template <typename Rule, typename T>
PathRules<T> path_rules(const std::vector<Rule>& rules, T Rule::*value) {
  std::vector<std::pair<std::string, T>> out;
  for (const Rule& rule : rules)
    out.emplace_back(rule.params, rule.*value);
  return PathRules<T>(out);
}

}  // namespace meshwright::optim
