// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/: the compression of pages.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace meshwright::data::parquet {

enum class PageCodec {
  uncompressed = 0,
  snappy = 1,
  gzip = 2,
  lzo = 3,
  brotli = 4,
  lz4 = 5,  // with Hadoop's framing, which differs between writers
  zstd = 6,
  lz4_raw = 7,
};

/// Throws unimplemented, naming the codec, if pages in it cannot be read, and data_loss for an
/// unknown codec.
PageCodec checked_codec(std::int64_t codec);

/// Decompresses a page. Throws data_loss unless `stored` decodes to exactly out.size() bytes.
void decompress(PageCodec codec, std::span<const std::byte> stored, std::span<std::byte> out);

/// Returns an upper bound on the decompressed size of `num_stored` bytes.
std::uint64_t max_decompressed_bytes(PageCodec codec, std::uint64_t num_stored);

}  // namespace meshwright::data::parquet
