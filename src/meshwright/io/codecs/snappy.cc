// SPDX-License-Identifier: Apache-2.0
#include <snappy.h>

#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

class SnappyCodec : public Codec {
 public:
  Buffer encode(std::span<const std::byte> bytes) const override {
    Buffer out(::snappy::MaxCompressedLength(bytes.size()));
    std::size_t size = 0;
    ::snappy::RawCompress(as_text(bytes).data(), bytes.size(), reinterpret_cast<char*>(out.data()),
                          &size);
    out.truncate(size);
    return out;
  }

  // Three bytes can encode 64.
  std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const override {
    return times_at_most(num_stored, 22);
  }

  void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    std::string_view text = as_text(stored);
    std::size_t size = 0;
    if (!::snappy::GetUncompressedLength(text.data(), text.size(), &size)) {
      fail_damaged("snappy", "missing length");
    }
    if (size != out.size()) fail_size("snappy", out.size(), size);
    if (!::snappy::RawUncompress(text.data(), text.size(), reinterpret_cast<char*>(out.data()))) {
      fail_damaged("snappy", "corrupt data");
    }
  }
};

}  // namespace

CodecPtr snappy_codec() {
  return std::make_shared<SnappyCodec>();
}

}  // namespace meshwright::io
