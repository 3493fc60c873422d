// SPDX-License-Identifier: Apache-2.0
// Internal to containers/.
#pragma once

#include <cstdint>
#include <string_view>

namespace meshwright::checkpoint {

/// The number at the end of a name, as in "model.ckpt-1000" and "checkpoint-000001000"; 0 if there
/// is none.
std::int64_t step_in_name(std::string_view name);

}  // namespace meshwright::checkpoint
