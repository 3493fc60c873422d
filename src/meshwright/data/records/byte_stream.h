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
#include "meshwright/io/streams/byte_stream.h"

namespace meshwright::data {

using io::ByteStream;
using io::StreamOptions;

enum class Compression { none, gzip, zstd };

/// Returns the compression that the first bytes of a file indicate. Throws unimplemented, naming
/// the kind, for bytes that begin a bzip2, xz, lz4, zip or Parquet file or UTF-16 text.
Compression compression_of(std::span<const std::byte> first_bytes, std::string_view name);

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
