// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright {

/// Returns the candidate with the fewest typing errors (a letter added, omitted or replaced, or two
/// letters swapped), if their number is small for the length of `name`.
std::optional<std::string> find_nearest(std::string_view name,
                                        const std::vector<std::string>& candidates);

/// Returns the end of a message about an unknown name: "; did you mean 'fsdp'?", or, if no
/// candidate is near and there are only a few, "; available: 'data', 'model'".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace meshwright
