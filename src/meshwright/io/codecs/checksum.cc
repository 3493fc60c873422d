// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meshwright/base/crc32c.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

constexpr std::size_t kChecksumBytes = 4;

std::uint32_t read_little_endian(std::span<const std::byte> bytes) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < kChecksumBytes; ++i)
    out |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  return out;
}

class ChecksumCodec : public Codec {
 public:
  Buffer encode(std::span<const std::byte> bytes) const override {
    Buffer out(bytes.size() + kChecksumBytes);
    std::ranges::copy(bytes, out.data());
    std::uint32_t sum = crc32c(as_text(bytes));
    for (std::size_t i = 0; i < kChecksumBytes; ++i)
      out.data()[bytes.size() + i] = static_cast<std::byte>(sum >> (8 * i));
    return out;
  }

  void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    if (stored.size() < kChecksumBytes) fail_damaged("crc32c", "too short for a checksum");
    std::span<const std::byte> bytes = stored.first(stored.size() - kChecksumBytes);
    if (bytes.size() != out.size()) fail_size("crc32c", out.size(), bytes.size());
    if (crc32c(as_text(bytes)) != read_little_endian(stored.last(kChecksumBytes))) {
      fail_damaged("crc32c", "checksum mismatch");
    }
    std::ranges::copy(bytes, out.begin());
  }

  std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const override {
    return num_stored - std::min<std::uint64_t>(num_stored, kChecksumBytes);
  }
  std::optional<std::uint64_t> overhead() const override { return kChecksumBytes; }
};

}  // namespace

CodecPtr crc32c_codec() {
  return std::make_shared<ChecksumCodec>();
}

}  // namespace meshwright::io
