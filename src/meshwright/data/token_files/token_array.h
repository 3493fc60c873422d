// SPDX-License-Identifier: Apache-2.0
// Stored sequences of token ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "meshwright/io/buffer.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::data {

/// Stands for a stored value that cannot be an id: negative or above 2^31 - 1.
inline constexpr std::int32_t kNoToken = -1;

/// The size of a vocabulary that has every id.
inline constexpr std::int64_t kMaxVocab = std::int64_t{1} << 31;

/// Pure and thread-safe.
class TokenArray {
 public:
  virtual ~TokenArray() = default;
  /// Returns the name of the file, for messages.
  virtual const std::string& name() const = 0;
  virtual std::int64_t size() const = 0;
  /// Returns the offset of a token in the file, in bytes; in the elements of an array that is
  /// compressed or stored in chunks.
  virtual std::int64_t byte_offset(std::int64_t token) const = 0;
  /// Reads tokens [begin, begin + out.size()), which must exist.
  virtual void read(std::int64_t begin, std::span<std::int32_t> out) const = 0;
};
using TokenArrayPtr = std::shared_ptr<const TokenArray>;

/// A part of a plain file that holds `size` little-endian integers.
struct PlainTokens {
  std::string path;
  std::uint64_t offset = 0;  // in bytes
  std::int64_t size = 0;
  DType dtype = DType::u16;
  bool stays_open = true;  // if false, each read opens the file
};

/// Reads only the bytes that are needed, when they are needed. Throws data_loss if the file is too
/// short, and on reading if its size or time of modification has changed since.
TokenArrayPtr plain_tokens(PlainTokens tokens);
/// `elements` holds little-endian integers.
TokenArrayPtr tokens_in_memory(std::string name, io::Buffer elements, DType dtype);

/// True for the integer types of 1, 2, 4 and 8 bytes.
bool is_token_dtype(DType dtype);

/// Converts little-endian integers. `stored` has out.size() of them.
void decode_tokens(std::span<const std::byte> stored, DType dtype, std::span<std::int32_t> out);

}  // namespace meshwright::data
