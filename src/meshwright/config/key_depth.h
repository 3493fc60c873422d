// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace meshwright::config {

/// Returns the line of the first dotted key with more than `most` parts. toml++ limits the nesting
/// of brackets but not the length of keys, and its destructor recurses once per part.
std::optional<std::size_t> find_line_of_deep_key(std::string_view toml, std::size_t most);

}  // namespace meshwright::config
