// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// Loads a file on top of the one that its key `base` names (a path relative to its own folder),
/// recursively. Throws invalid_argument for invalid TOML and for cycles, not_found for missing
/// files.
Node load_file(const std::filesystem::path& file);

/// Converts overrides such as `key.path=value` to a tree, with values in TOML. A value that is not
/// TOML is taken as a string, so quotes are needed only for strings that would be something else.
/// Later overrides take precedence. Errors and origins say `given_in`.
Node parse_overrides(std::span<const std::string> overrides,
                     const std::string& given_in = "override");
/// Converts overrides in a list of a config. Errors refer to their place in it.
Node parse_overrides(const Array& words);

/// Loads a file with `words_of_config` applied to it, and `overrides` applied on top.
Node load_tree(const std::filesystem::path& file,
               std::span<const std::string> overrides,
               const Array& words_of_config = {},
               const std::string& given_in = "override");

}  // namespace meshwright::config
