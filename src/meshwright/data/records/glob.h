// SPDX-License-Identifier: Apache-2.0
// Internal to records/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshwright::data {

/// True if `pattern` contains a wildcard: *, ? or [.
bool has_wildcard(std::string_view pattern);

/// True if the whole name matches. * matches any text, ? one byte, [a-z] one byte of a set and
/// [!a-z] one outside it. A backslash escapes the next character.
bool matches_wildcard(std::string_view name, std::string_view pattern);

/// Returns the paths that match, in ascending order of bytes. A path component ** matches any
/// number of folders. Links are followed, except by **, so that a cycle of links ends. Wildcards do
/// not match hidden names.
std::vector<std::string> expand_glob(const std::string& pattern);

/// Returns the names of the entries of a folder in ascending order; none if it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace meshwright::data
