// SPDX-License-Identifier: Apache-2.0
// Targets for readers of data/.
#pragma once

#include <string_view>

namespace meshwright::fuzz {

void read_records(std::string_view bytes);
void read_parquet(std::string_view bytes);

}  // namespace meshwright::fuzz
