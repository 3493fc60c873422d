// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace meshwright::checkpoint {

/// For "step_", 8 digits and step 12, returns "step_00000012". Throws invalid_argument for a step
/// with more digits.
std::string padded_step_name(std::string_view prefix, int num_digits, std::int64_t step);
/// Returns the step in such a name; nullopt for other names.
std::optional<std::int64_t> find_padded_step(std::string_view prefix,
                                             int num_digits,
                                             std::string_view name);

}  // namespace meshwright::checkpoint
