// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright {

/// Returns the candidate at the smallest edit distance from `name` (letters added, omitted or
/// replaced, or neighbouring letters swapped). Candidates are excluded if their distance is above a
/// third of their length and above 1. Returns nullopt if none is left.
std::optional<std::string> find_nearest(std::string_view name,
                                        const std::vector<std::string>& candidates);

/// Returns the end of a message about an unknown name: "; did you mean 'fsdp'?"; if no candidate is
/// near and there are at most ten, "; available: 'data', 'model'"; otherwise "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace meshwright
