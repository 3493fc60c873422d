// SPDX-License-Identifier: Apache-2.0
// Codecs: how to store the bytes of a chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/io/buffer.h"
#include "meshwright/io/streams/byte_stream.h"

namespace meshwright::io {

class ReadableFile;

/// Encoded bytes whose blocks can be decoded one by one. Several threads may read at once.
class EncodedBlocks {
 public:
  virtual ~EncodedBlocks() = default;
  /// Returns the number of decoded bytes, and of each block but the last.
  virtual std::uint64_t num_bytes() const = 0;
  virtual std::uint64_t block_bytes() const = 0;
  /// Reads only the bytes of this block from `file`, which must be the one that it was opened with.
  /// Throws data_loss if they are damaged.
  virtual Buffer read(const ReadableFile& file, std::uint64_t block) const = 0;
};

/// Encodes and decodes bytes. Stateless, so several threads may use one codec.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual Buffer encode(std::span<const std::byte> bytes) const = 0;
  /// Throws data_loss, leaving `out` undefined, unless `stored` is intact and decodes to exactly
  /// out.size() bytes. The extra memory it needs does not depend on sizes claimed by `stored`.
  virtual void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const = 0;
  Buffer decode(std::span<const std::byte> stored, std::uint64_t num_bytes) const {
    Buffer out(num_bytes);
    decode_into(stored, out.span());
    return out;
  }
  /// Opens a file that holds encoded bytes; null if the codec can only decode all of them. Throws
  /// data_loss if the file is damaged.
  virtual std::unique_ptr<const EncodedBlocks> open_blocks(const ReadableFile& /*file*/) const {
    return nullptr;
  }
  /// Opens a file that holds encoded bytes as a stream; null if the codec can only decode all of
  /// them. `name` is for messages.
  virtual std::unique_ptr<ByteStream> open_stream(
      const std::shared_ptr<const ReadableFile>& /*file*/, const std::string& /*name*/) const {
    return nullptr;
  }
  /// Returns an upper bound on the decoded size of `num_stored` bytes, so that a file too short for
  /// its content can be detected before memory is allocated.
  virtual std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const = 0;
  /// Returns the number of bytes that encoding adds; nullopt if it depends on the content.
  virtual std::optional<std::uint64_t> overhead() const { return std::nullopt; }
};

using CodecPtr = std::shared_ptr<const Codec>;

struct ZstdOptions {
  int level = 1;
  bool checksum = false;
};
CodecPtr zstd_codec(const ZstdOptions& options = {});
/// Decodes frames of unknown size. Throws data_loss if they are damaged or decode to more than
/// `max_bytes`.
std::string decode_zstd(std::span<const std::byte> stored, std::uint64_t max_bytes);

enum class DeflateFraming { gzip, zlib };
/// Also reads concatenated gzip members.
CodecPtr deflate_codec(DeflateFraming framing, int level = 1);

enum class BloscShuffle { none = 0, bytes = 1, bits = 2 };
struct BloscOptions {
  std::string compressor = "lz4";  // blosclz, lz4, lz4hc, zlib, zstd
  int level = 5;
  BloscShuffle shuffle = BloscShuffle::bytes;
  std::size_t block_bytes = 0;  // 0: chosen by blosc
  std::size_t element_bytes = 1;
};
/// Throws invalid_argument if blosc lacks the compressor.
CodecPtr blosc_codec(const BloscOptions& options);

/// A raw snappy block, as in the index of TensorFlow bundles.
CodecPtr snappy_codec();

/// The bytes followed by their CRC-32C, little-endian.
CodecPtr crc32c_codec();

/// Returns a * b, saturating at the largest integer.
std::uint64_t times_at_most(std::uint64_t a, std::uint64_t b);

/// For codecs: throws data_loss with the problem that was found.
[[noreturn]] void fail_damaged(std::string_view codec, std::string_view what);
[[noreturn]] void fail_size(std::string_view codec, std::uint64_t wanted, std::uint64_t found);

}  // namespace meshwright::io
