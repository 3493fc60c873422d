// SPDX-License-Identifier: Apache-2.0
// Dotted paths: "optimizer.b1", "evals.0.name", "rules.\"a.b\"".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::config {

/// Joins "optimizer" and "b1" into "optimizer.b1". Quotes keys that need it.
std::string join_path(std::string_view path, std::string_view key);

/// Returns the parts of a path; nullopt if it is malformed.
std::optional<std::vector<std::string>> find_path_parts(std::string_view path);

/// Returns the list position that a part denotes; nullopt if it denotes none.
std::optional<std::size_t> find_position(std::string_view part);

}  // namespace meshwright::config
