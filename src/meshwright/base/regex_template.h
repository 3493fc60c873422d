// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "meshwright/base/regex.h"

namespace meshwright {

/// The text that a template makes of the groups of a match, as Python's Match.expand: \1 to \9 are
/// groups (an empty text for one that took no part), \0 is the whole match, \\ a backslash; nothing
/// if the pattern does not match all of `text`. Throws invalid_argument for another character after
/// a backslash and for a group that the pattern does not have.
std::optional<std::string> expand_match(const Regex& pattern,
                                        std::string_view text,
                                        std::string_view form);

}  // namespace meshwright
