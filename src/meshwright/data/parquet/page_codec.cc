// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/page_codec.h"

#include <algorithm>
#include <limits>

#include <brotli/decode.h>
#include <lz4.h>

#include "meshwright/base/error.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::uint64_t kMaxLz4Ratio = 255;

const io::Codec* shared_codec(PageCodec codec) {
  static const io::CodecPtr snappy = io::snappy_codec();
  static const io::CodecPtr gzip = io::deflate_codec(io::DeflateFraming::gzip);
  static const io::CodecPtr zstd = io::zstd_codec();
  switch (codec) {
    case PageCodec::snappy:
      return snappy.get();
    case PageCodec::gzip:
      return gzip.get();
    case PageCodec::zstd:
      return zstd.get();
    default:
      return nullptr;
  }
}

void decompress_lz4(std::span<const std::byte> stored, std::span<std::byte> out) {
  constexpr std::size_t limit = LZ4_MAX_INPUT_SIZE;
  const bool fits = stored.size() <= limit && out.size() <= limit;
  const int size =
      fits ? LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()),
                                 reinterpret_cast<char*>(out.data()),
                                 static_cast<int>(stored.size()), static_cast<int>(out.size()))
           : -1;
  if (size < 0) io::fail_damaged("lz4", "corrupt data");
  if (static_cast<std::size_t>(size) != out.size())
    io::fail_size("lz4", out.size(), static_cast<std::uint64_t>(size));
}

void decompress_brotli(std::span<const std::byte> stored, std::span<std::byte> out) {
  std::size_t size = out.size();
  const BrotliDecoderResult result =
      BrotliDecoderDecompress(stored.size(), reinterpret_cast<const std::uint8_t*>(stored.data()),
                              &size, reinterpret_cast<std::uint8_t*>(out.data()));
  if (result != BROTLI_DECODER_RESULT_SUCCESS) io::fail_damaged("brotli", "corrupt data");
  if (size != out.size()) io::fail_size("brotli", out.size(), size);
}

}  // namespace

PageCodec checked_codec(std::int64_t codec) {
  if (codec < 0 || codec > static_cast<int>(PageCodec::lz4_raw))
    fail(ErrorCode::data_loss, "unknown compression codec ", codec);
  const auto out = static_cast<PageCodec>(codec);
  if (out == PageCodec::lzo) fail(ErrorCode::unimplemented, "LZO compression is not supported");
  if (out == PageCodec::lz4) {
    fail(ErrorCode::unimplemented,
         "the deprecated LZ4 compression of Hadoop is not supported; LZ4_RAW is");
  }
  return out;
}

void decompress(PageCodec codec, std::span<const std::byte> stored, std::span<std::byte> out) {
  if (codec == PageCodec::lz4_raw) return decompress_lz4(stored, out);
  if (codec == PageCodec::brotli) return decompress_brotli(stored, out);
  if (const io::Codec* shared = shared_codec(codec)) return shared->decode_into(stored, out);
  if (stored.size() != out.size())
    fail(ErrorCode::data_loss, "has ", stored.size(), " bytes, expected ", out.size());
  std::copy(stored.begin(), stored.end(), out.begin());
}

std::uint64_t max_decompressed_bytes(PageCodec codec, std::uint64_t num_stored) {
  if (codec == PageCodec::uncompressed) return num_stored;
  if (codec == PageCodec::lz4_raw) return io::times_at_most(num_stored, kMaxLz4Ratio);
  if (const io::Codec* shared = shared_codec(codec)) return shared->max_decoded_bytes(num_stored);
  return std::numeric_limits<std::uint64_t>::max();  // brotli: a few bytes can encode 16 MiB
}

}  // namespace meshwright::data::parquet
