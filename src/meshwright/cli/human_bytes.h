// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace meshwright::cli {

/// "3.9 GiB", "12.0 MiB".
std::string human_bytes(std::int64_t bytes);

}  // namespace meshwright::cli
