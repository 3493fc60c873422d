// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace meshwright {

/// Returns the CRC-32C (Castagnoli, RFC 3720) of `bytes`. To checksum a text in pieces, pass the
/// result for the preceding pieces as `before`.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace meshwright
