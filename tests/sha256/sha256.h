// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <openssl/evp.h>

#include "meshwright/base/hex.h"

namespace meshwright::test_sha256 {

/// Returns the digest as 64 hexadecimal digits.
inline std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return hex(std::span(digest).first(size));
}

}  // namespace meshwright::test_sha256
