// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/crc32c.h"

#include <cstddef>

#include <isa-l/crc.h>

namespace meshwright {

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  // crc32_iscsi counts bytes in an int
  std::uint32_t crc = ~before;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMaxBytes);
    // crc32_iscsi only reads, but its parameter is not const.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    crc = crc32_iscsi(data, static_cast<int>(part.size()), crc);
    bytes.remove_prefix(part.size());
  }
  return ~crc;
}

}  // namespace meshwright
