// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/tensor/shape.h"

namespace meshwright::io {

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

/// The header of an array, whose elements follow.
struct NpyHeader {
  std::uint64_t num_bytes = 0;  // of the header
  ArrayType type;
  std::string dtype;  // as stored, such as "<f4"
  bool is_column_major = false;
  bool is_big_endian = false;
};
/// Parses a header. `bytes` are the first of the file, at least all of its header. NumPy has no
/// bf16: two bytes without a type are taken for it, as JAX writes it. Throws data_loss, naming
/// `name`, if the header is damaged or the elements do not fill `num_bytes` bytes, and
/// unimplemented for dtypes that arrays of a model cannot have.
NpyHeader parse_npy_header(std::span<const std::byte> bytes,
                           std::uint64_t num_bytes,
                           const std::string& name);
/// More bytes than a header has that this program reads.
inline constexpr std::uint64_t kMaxNpyHeader = 4096;

/// Returns the header of a row-major array. Throws unimplemented for a dtype that .npy files cannot
/// store.
std::string npy_header(const ArrayType& type);

}  // namespace meshwright::io
