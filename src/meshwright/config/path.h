// SPDX-License-Identifier: Apache-2.0
// Dotted paths: "optimizer.b1", "evals.0.name", "rules.\"a.b\"".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::config {

/// "optimizer" and "b1" give "optimizer.b1"; keys that need quotes get them.
std::string join_path(std::string_view path, std::string_view key);

/// The parts of a path; nothing if it is none.
std::optional<std::vector<std::string>> find_path_parts(std::string_view path);

/// The position in a list that a part means, if it is one.
std::optional<std::size_t> find_position(std::string_view part);

}  // namespace meshwright::config
