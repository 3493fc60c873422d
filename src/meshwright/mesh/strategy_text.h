// SPDX-License-Identifier: Apache-2.0
// Parser for calls such as "fsdp(axis='data', min_size_to_shard_mb=4)|replicate".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace meshwright::mesh {

/// A number, a boolean, or a list of strings. A single string is a list with one element, and None
/// is an empty list.
using StrategyValue = std::variant<double, bool, std::vector<std::string>>;

struct StrategyArgument {
  std::string name;  // empty if positional
  StrategyValue value;
};

struct StrategyCall {
  std::string name;
  std::vector<StrategyArgument> arguments;
};

/// Parses calls separated by '|', in Python syntax. If the syntax is wrong, throws
/// invalid_argument with the text and the position of the error.
std::vector<StrategyCall> parse_strategy(std::string_view text);

/// Parses an argument list such as "('data', None)" as a call of `name`. Error messages end with
/// `example`.
StrategyCall parse_call(std::string_view name, std::string_view text, std::string_view example);

}  // namespace meshwright::mesh
