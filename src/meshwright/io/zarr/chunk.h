// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes chunks.
#pragma once

#include "meshwright/io/file_system.h"
#include "meshwright/io/zarr/metadata.h"

namespace meshwright::io::zarr {

/// A part of an array as dense row-major elements in host memory.
struct Target {
  Ranges ranges;  // position in the array
  std::byte* data = nullptr;
};

/// True if decoding a chunk yields the elements in memory order.
bool is_as_in_memory(const ChunkFormat& format);
/// True if chunks hold the elements in memory order without compression.
bool stores_elements(const ChunkFormat& format);

/// Throws data_loss unless a file of `num_stored` bytes can hold the chunk at `where`. Call this
/// before allocating elements.
void check_file_size(std::uint64_t num_stored,
                     const ChunkFormat& format,
                     DType dtype,
                     const Ranges& where);

/// Decodes the part of a chunk that lies in `target`. `where` is the chunk's ranges in the array.
/// Reads only the inner chunks, or the adjacent elements, that are needed. Throws data_loss if the
/// chunk is damaged, and unavailable if reading fails.
void read_chunk(const ReadableFile& file,
                const ChunkFormat& format,
                DType dtype,
                const Ranges& where,
                const Target& target);

/// Returns the stored bytes of a complete chunk of this dtype. Throws unimplemented for formats
/// with inner chunks, another dimension order or another byte order.
Buffer encode_chunk(const ChunkFormat& format, DType dtype, std::span<const std::byte> elements);

}  // namespace meshwright::io::zarr
