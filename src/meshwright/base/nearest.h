// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright {

/// The candidate that a person who wrote `name` probably meant: the one with the fewest typing
/// slips (a letter added, left out, replaced, or two swapped), if they are few for its length.
std::optional<std::string> find_nearest(std::string_view name,
                                        const std::vector<std::string>& candidates);

/// The end of a message about an unknown name: "; did you mean 'fsdp'?", or if none is near and
/// they are few "; there are 'data', 'model'".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace meshwright
