// SPDX-License-Identifier: Apache-2.0
// From a stored chunk to elements and back.
#pragma once

#include "meshwright/io/file_system.h"
#include "meshwright/io/zarr/metadata.h"

namespace meshwright::io::zarr {

/// A part of a chunk, or of an array, as dense row-major elements in host memory.
struct Target {
  Ranges ranges;  // in the array
  std::byte* data = nullptr;
};

/// Throws data_loss unless a file of so many bytes can hold the chunk at `where`: no elements need
/// room before that is known.
void check_file_size(std::uint64_t num_stored,
                     const ChunkFormat& format,
                     DType dtype,
                     const Ranges& where);

/// Decodes of a chunk what lies in `target`. `where` are the chunk's ranges in the array. Of a
/// chunk with inner chunks only those are read that are needed. Throws data_loss, unavailable.
void read_chunk(const ReadableFile& file,
                const ChunkFormat& format,
                DType dtype,
                const Ranges& where,
                const Target& target);

/// The bytes to store for a whole chunk of these elements. Throws unimplemented for a format with
/// inner chunks, another order of dimensions or of bytes.
Buffer encode_chunk(const ChunkFormat& format, std::span<const std::byte> elements);

}  // namespace meshwright::io::zarr
