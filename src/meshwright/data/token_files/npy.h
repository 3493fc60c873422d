// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/: NumPy's .npy files, and .npz archives of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/token_files/token_file.h"
#include "meshwright/data/token_files/token_writer.h"
#include "meshwright/io/numpy/npy.h"

namespace meshwright::data {

/// Where the elements of a one-dimensional array of integers lie in the bytes of an .npy file.
struct NpyLayout {
  std::uint64_t offset = 0;
  std::int64_t size = 0;
  DType dtype = DType::u16;
};
/// Reads the header, as io::parse_npy_header() does. Also throws unimplemented for other arrays.
NpyLayout parse_npy(std::span<const std::byte> bytes,
                    std::uint64_t num_bytes,
                    const std::string& name);

/// The bytes of the header of any array of one dimension.
inline constexpr std::size_t kNpyHeaderBytes = 128;
/// Returns this header.
std::string npy_header(std::int64_t size, DType dtype);

TokenFile open_npy(const std::string& path, bool stays_open);
/// One file for each array, in the order of the archive. Compressed arrays are decoded into memory;
/// throws unimplemented for one of more than 1 GiB.
std::vector<TokenFile> open_npz(const std::string& path, bool stays_open);

std::unique_ptr<TokenWriter> npy_writer(const std::string& path, const TokenWriterOptions& options);
/// Writes an archive of one uncompressed array, "tokens".
std::unique_ptr<TokenWriter> npz_writer(const std::string& path, const TokenWriterOptions& options);

}  // namespace meshwright::data
