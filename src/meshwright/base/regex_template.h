// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "meshwright/base/regex.h"

namespace meshwright {

/// Expands a template with the groups of a match, like Python's Match.expand: \1 to \9 are the
/// groups (empty for a group that did not participate), \0 is the whole match, and \\ is a
/// backslash.
/// Returns nullopt if the pattern does not match all of `text`. Throws invalid_argument for any
/// other character after a backslash, and for a group that the pattern does not have.
std::optional<std::string> expand_match(const Regex& pattern,
                                        std::string_view text,
                                        std::string_view form);

}  // namespace meshwright
