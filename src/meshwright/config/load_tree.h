// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// Loads a file on top of the one that its key `base` names (a path relative to its own folder),
/// recursively. Throws invalid_argument for invalid TOML and for cycles, and not_found for missing
/// files.
Node load_file(const std::filesystem::path& file);

/// Converts overrides such as `key.path=value` to a tree, with values in TOML. A value that is not
/// valid TOML is taken as a string, so only strings that would parse as something else need quotes.
/// Later overrides take precedence. Errors and origins name `given_in` as the source.
Node parse_overrides(std::span<const std::string> overrides,
                     const std::string& given_in = "override");
/// Converts overrides listed in a config. Errors refer to their location in the config.
Node parse_overrides(const Array& words);

/// Loads a file with `words_of_config` applied to it, and `overrides` applied on top.
Node load_tree(const std::filesystem::path& file,
               std::span<const std::string> overrides,
               const Array& words_of_config = {},
               const std::string& given_in = "override");

}  // namespace meshwright::config
