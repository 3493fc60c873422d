// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/mesh/strategy_text.h"

namespace meshwright::mesh {

/// The arguments of a call, taken by name or position.
class Arguments {
 public:
  explicit Arguments(const StrategyCall& call) : call_(call), taken_(call.arguments.size()) {}

  template <typename T>
  std::optional<T> find(std::string_view name, std::size_t position) {
    asked_.emplace_back(name);
    for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
      const StrategyArgument& argument = call_.arguments[i];
      bool here = argument.name.empty() ? i == position : argument.name == name;
      if (!here) continue;
      taken_[i] = 1;
      const T* value = std::get_if<T>(&argument.value);
      MW_CHECK(value != nullptr, call_.name, ": '", name, "' has the wrong type\nwrite ", name, "=",
               example<T>());
      if constexpr (std::same_as<T, std::vector<std::string>>)
        MW_CHECK(!value->empty(), call_.name, ": '", name, "' names no mesh axis\nwrite ", name,
                 "='data', or replicate to leave the parameter whole");
      return *value;
    }
    return std::nullopt;
  }

  template <typename T>
  T required(std::string_view name, std::size_t position) {
    std::optional<T> value = find<T>(name, position);
    MW_CHECK(value.has_value(), call_.name, ": '", name, "' is missing\nwrite ", name, "=",
             example<T>());
    return *value;
  }

  /// Returns the argument as an integer, since the parser reads all numbers as floating point.
  std::optional<std::int64_t> find_whole(std::string_view name, std::size_t position) {
    constexpr double kLargest = 9007199254740992;  // 2^53: integers up to here are exact
    std::optional<double> value = find<double>(name, position);
    if (!value) return std::nullopt;
    MW_CHECK(std::abs(*value) <= kLargest && *value == std::trunc(*value), call_.name, ": '", name,
             "' is ", *value, ", expected an integer\nwrite ", name, "=1");
    return static_cast<std::int64_t>(*value);
  }

  void check_all_taken() const {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const std::string& name = call_.arguments[i].name;
      MW_CHECK(taken_[i] != 0, call_.name, ": unknown argument ",
               name.empty() ? str(i) : str("'", name, "'"),
               "\nallowed: ", asked_.empty() ? std::string("none") : join(asked_, ", "));
    }
  }

 private:
  template <typename T>
  static std::string_view example() {
    if constexpr (std::same_as<T, bool>) return "True";
    if constexpr (std::same_as<T, double>) return "1";
    return "'data' or ('data', 'fsdp')";
  }

  const StrategyCall& call_;
  std::vector<char> taken_;
  std::vector<std::string> asked_;
};

}  // namespace meshwright::mesh
