// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace meshwright::cli {

/// Returns text such as "3.9 GiB", "12.0 MiB" or "0.3 KiB".
std::string human_bytes(std::int64_t bytes);

}  // namespace meshwright::cli
