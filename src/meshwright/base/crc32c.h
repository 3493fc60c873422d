// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace meshwright {

/// The CRC-32C (Castagnoli, RFC 3720) of `bytes`; of a longer text if `before` is that of what
/// stands in front.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The same without the processor's instruction for it, which crc32c takes where there is one.
std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t before = 0);

}  // namespace meshwright
