// SPDX-License-Identifier: Apache-2.0
// Sequential streams of bytes from plain and compressed files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// The uncompressed bytes of a file, in order. Used by one thread at a time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Reads up to out.size() bytes and returns their number, which is 0 only at the end of the
  /// stream. Throws data_loss, with the offset in the file, if the bytes are truncated or corrupt.
  /// All bytes before the damage may not have been returned by then.
  virtual std::size_t read(std::span<std::byte> out) = 0;
};

enum class Compression { none, gzip, zstd };

/// Returns the compression that the first bytes of a file indicate. Throws unimplemented, naming
/// the kind, for bytes that begin a bzip2, xz, lz4, zip or Parquet file or UTF-16 text.
Compression compression_of(std::span<const std::byte> first_bytes, std::string_view name);

struct StreamOptions {
  /// Maximum memory for the window of a zstd frame: 1 << max_zstd_window_log bytes. Files written
  /// with `zstd --long=31` need 31.
  int max_zstd_window_log = 27;
  /// Number of bytes of a compressed file to read at once.
  std::size_t input_bytes = 128 << 10;
};

/// Opens a file from the beginning, decompressing gzip and zstd as their first bytes indicate,
/// whatever the name says. Reads all gzip members and zstd frames. Throws data_loss for an empty
/// file whose name ends in .gz or .zst.
std::unique_ptr<ByteStream> open_byte_stream(std::shared_ptr<const io::ReadableFile> file,
                                             const std::string& name,
                                             const StreamOptions& options = {});

/// Returns the bytes of a file from `begin` on as they are stored.
std::unique_ptr<ByteStream> plain_stream(std::shared_ptr<const io::ReadableFile> file,
                                         std::int64_t begin = 0);

/// Returns the compression of an open file.
Compression compression_of(const io::ReadableFile& file, const std::string& name);

}  // namespace meshwright::data
