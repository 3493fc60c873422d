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

namespace meshwright::data {

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

/// Where the elements of a one-dimensional array of integers lie in the bytes of an .npy file.
struct NpyLayout {
  std::uint64_t offset = 0;
  std::int64_t size = 0;
  DType dtype = DType::u16;
};
/// Reads the header. `bytes` are the first of the file, at least all of its header. Throws
/// data_loss if it is damaged or the elements do not fill `num_bytes` bytes, and unimplemented for
/// other arrays.
NpyLayout parse_npy(std::span<const std::byte> bytes,
                    std::uint64_t num_bytes,
                    const std::string& name);
/// More bytes than the header of any array of one dimension has.
inline constexpr std::uint64_t kMaxNpyHeader = 4096;

/// Returns a header of kNpyHeaderBytes bytes.
std::string npy_header(std::int64_t size, DType dtype);
inline constexpr std::size_t kNpyHeaderBytes = 128;

TokenFile open_npy(const std::string& path, bool stays_open);
/// One file for each array, in the order of the archive. Compressed arrays are decoded into memory;
/// throws unimplemented for one of more than 1 GiB.
std::vector<TokenFile> open_npz(const std::string& path, bool stays_open);

std::unique_ptr<TokenWriter> npy_writer(const std::string& path, const TokenWriterOptions& options);
/// Writes an archive of one uncompressed array, "tokens".
std::unique_ptr<TokenWriter> npz_writer(const std::string& path, const TokenWriterOptions& options);

}  // namespace meshwright::data
