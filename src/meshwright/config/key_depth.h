// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace meshwright::config {

/// The line of the first dotted key with more than `most` parts. toml++ limits how deep brackets
/// nest but not how long a key is, and each part is a level of its recursive destructor.
std::optional<std::size_t> find_line_of_deep_key(std::string_view toml, std::size_t most);

}  // namespace meshwright::config
