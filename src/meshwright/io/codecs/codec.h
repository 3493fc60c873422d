// SPDX-License-Identifier: Apache-2.0
// How the bytes of a chunk are stored.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/io/buffer.h"

namespace meshwright::io {

/// Stateless: several threads may use one.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual Buffer encode(std::span<const std::byte> bytes) const = 0;
  /// Throws data_loss unless `stored` is whole and holds exactly as many bytes as `out`, which are
  /// then undefined; needs no memory beside it that grows with what `stored` says.
  virtual void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const = 0;
  Buffer decode(std::span<const std::byte> stored, std::uint64_t num_bytes) const {
    Buffer out(num_bytes);
    decode_into(stored, out.span());
    return out;
  }
  /// No fewer bytes than so many stored ones can hold, so that a file which is too short for what
  /// it should hold is known before there is room for that.
  virtual std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const = 0;
  /// How many bytes more are stored, if that is always the same.
  virtual std::optional<std::uint64_t> overhead() const { return std::nullopt; }
};

using CodecPtr = std::shared_ptr<const Codec>;

struct ZstdOptions {
  int level = 1;
  bool checksum = false;
};
CodecPtr zstd_codec(const ZstdOptions& options = {});

enum class DeflateFraming { gzip, zlib };
/// Several gzip members one after the other are read too.
CodecPtr deflate_codec(DeflateFraming framing, int level = 1);

enum class BloscShuffle { none = 0, bytes = 1, bits = 2 };
struct BloscOptions {
  std::string compressor = "lz4";  // blosclz, lz4, lz4hc, zlib, zstd
  int level = 5;
  BloscShuffle shuffle = BloscShuffle::bytes;
  std::size_t block_bytes = 0;  // 0: blosc chooses
  std::size_t element_bytes = 1;
};
/// Throws invalid_argument for a compressor that blosc has not.
CodecPtr blosc_codec(const BloscOptions& options);

/// A raw snappy block, as in the index of TensorFlow's bundles.
CodecPtr snappy_codec();

/// The bytes, then their CRC-32C, little-endian.
CodecPtr crc32c_codec();

/// a * b, or the largest number if that is larger.
std::uint64_t times_at_most(std::uint64_t a, std::uint64_t b);

/// Throws data_loss: what a codec found wrong. For codecs.
[[noreturn]] void fail_damaged(std::string_view codec, std::string_view what);
[[noreturn]] void fail_size(std::string_view codec, std::uint64_t wanted, std::uint64_t found);

}  // namespace meshwright::io
