// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshwright::cli {

/// Returns the number that "1GiB", "500 MB", "64K" or "4096" stands for. K, M, G and T are powers
/// of 1024, as are KiB to TiB; KB to TB are powers of 1000. Throws invalid_argument, naming the
/// option, for other texts and for zero.
std::int64_t parse_byte_size(std::string_view option, const std::string& text);

}  // namespace meshwright::cli
