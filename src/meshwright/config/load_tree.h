// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// A file laid over what its key `base` names (a path from the file's own folder), and so on.
/// Throws invalid_argument for what is no TOML and for circles, not_found for missing files.
Node load_file(const std::filesystem::path& file);

/// The tree of what the command line says: `key.path=value`, the value in TOML. A value that is
/// none is taken as a string, so quotes are needed only for what would be something else. A later
/// word wins over an earlier one.
Node parse_overrides(std::span<const std::string> overrides);
/// The same of a list of strings in a config; what is wrong with one is told with its place there.
Node parse_overrides(const Array& words);

/// The file with these words over it, and over those the ones of the command line.
Node load_tree(const std::filesystem::path& file,
               std::span<const std::string> overrides,
               const Array& words_of_config = {});

}  // namespace meshwright::config
