// SPDX-License-Identifier: Apache-2.0
// Internal to split/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace meshwright::tokenizers {

/// Returns the ranges of a class of characters as PCRE2 writes them between brackets. `name` is a
/// general category such as "L" or "Lu", or "s", "d" or "w". Returns nullopt for other names.
/// `in_class` is for a name within a class, where Oniguruma has a smaller "w".
std::optional<std::string> class_ranges(std::string_view name, bool negated, bool in_class);

}  // namespace meshwright::tokenizers
