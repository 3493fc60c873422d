// SPDX-License-Identifier: Apache-2.0
// Sequential streams of the decoded bytes of compressed files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// The uncompressed bytes of a file, in order. Used by one thread at a time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Reads up to out.size() bytes and returns their number, which is 0 only at the end of the
  /// stream. Throws data_loss, with the offset in the file, if the bytes are truncated or corrupt.
  /// All bytes before the damage may not have been returned by then.
  virtual std::size_t read(std::span<std::byte> out) = 0;
};

struct StreamOptions {
  /// Maximum memory for the window of a zstd frame: 1 << max_zstd_window_log bytes. Files written
  /// with `zstd --long=31` need 31.
  int max_zstd_window_log = 27;
  /// Number of bytes of a compressed file to read at once.
  std::size_t input_bytes = 128 << 10;
};

/// Reads all members of a gzip file from the beginning. `name` is for messages.
std::unique_ptr<ByteStream> gzip_stream(std::shared_ptr<const ReadableFile> file,
                                        const std::string& name,
                                        const StreamOptions& options = {});
/// Reads a zlib file, which has one member.
std::unique_ptr<ByteStream> zlib_stream(std::shared_ptr<const ReadableFile> file,
                                        const std::string& name,
                                        const StreamOptions& options = {});
/// Reads all frames of a zstd file from the beginning.
std::unique_ptr<ByteStream> zstd_stream(std::shared_ptr<const ReadableFile> file,
                                        const std::string& name,
                                        const StreamOptions& options = {});

}  // namespace meshwright::io
