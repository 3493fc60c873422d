// SPDX-License-Identifier: Apache-2.0
// Reads calls such as "fsdp(axis='data', min_size_to_shard_mb=4)|replicate".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace meshwright::mesh {

/// A number, a truth value, or one or several texts; None is no text.
using StrategyValue = std::variant<double, bool, std::vector<std::string>>;

struct StrategyArgument {
  std::string name;  // empty if it stands by position
  StrategyValue value;
};

struct StrategyCall {
  std::string name;
  std::vector<StrategyArgument> arguments;
};

/// Calls separated by '|', in the syntax of Python. Throws invalid_argument, showing the text and
/// where it cannot be read.
std::vector<StrategyCall> parse_strategy(std::string_view text);

/// The arguments of one call, "('data', None)", as those of a call of `name`. Errors end with
/// `example`.
StrategyCall parse_call(std::string_view name, std::string_view text, std::string_view example);

}  // namespace meshwright::mesh
