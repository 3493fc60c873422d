// SPDX-License-Identifier: Apache-2.0
// Targets for readers of token ids.
#pragma once

#include <string_view>

namespace meshwright::fuzz {

void read_token_files(std::string_view bytes);

}  // namespace meshwright::fuzz
