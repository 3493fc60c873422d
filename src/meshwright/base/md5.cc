// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/md5.h"

#include <cassert>

#include <md5.h>

namespace meshwright {

Md5 md5(std::span<const std::byte> bytes) {
  MD5_CTX context;
  MD5Init(&context);
  MD5Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  Md5 digest;
  MD5Final(digest.data(), &context);
  return digest;
}

Md5 md5(std::string_view text) {
  return md5(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint32_t digest_mod(const Md5& digest, std::uint32_t modulus) {
  assert(modulus != 0);
  std::uint64_t rest = 0;
  for (std::uint8_t byte : digest)
    rest = (rest << 8 | byte) % modulus;
  return static_cast<std::uint32_t>(rest);
}

std::uint32_t leading_word(const Md5& digest) {
  return std::uint32_t{digest[0]} << 24 | std::uint32_t{digest[1]} << 16 |
         std::uint32_t{digest[2]} << 8 | digest[3];
}

}  // namespace meshwright
