// SPDX-License-Identifier: Apache-2.0
// The MD5 digest (RFC 1321), for the names and file identities that other systems derive from MD5.
// Not for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace meshwright {

/// The 16 bytes of a digest, in printing order.
using Md5 = std::array<std::uint8_t, 16>;

Md5 md5(std::span<const std::byte> bytes);
Md5 md5(std::string_view text);

/// Returns the digest as a big-endian number modulo `modulus`, which must not be 0: Python's
/// int(hexdigest, 16) % modulus.
std::uint32_t digest_mod(const Md5& digest, std::uint32_t modulus);
/// Returns the first four bytes as a big-endian number: Python's int(hexdigest[:8], 16).
std::uint32_t leading_word(const Md5& digest);

}  // namespace meshwright
