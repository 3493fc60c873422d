// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/: the values of a page.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "meshwright/data/parquet/page_header.h"
#include "meshwright/data/parquet/schema.h"

namespace meshwright::data::parquet {

/// Decodes values as their bytes: text of byte arrays, little-endian numbers, one byte for a
/// boolean.
class ValueDecoder {
 public:
  virtual ~ValueDecoder() = default;
  /// Decodes values into the front of `out`, which is not empty, and returns their number, at least
  /// 1. They are valid until the next call, and as long as the page and the dictionary. Throws
  /// data_loss if no values are left or they are malformed.
  virtual std::size_t decode(std::span<std::string_view> out) = 0;
};

/// Throws unimplemented for an encoding that is not supported, and
/// data_loss for one that cannot encode the type.
std::unique_ptr<ValueDecoder> make_decoder(Encoding encoding,
                                           PhysicalType type,
                                           std::string_view bytes,
                                           std::span<const std::string_view> dictionary);

/// Returns the values of a dictionary page.
std::vector<std::string_view> decode_dictionary(PhysicalType type,
                                                std::string_view bytes,
                                                std::size_t num_values);

}  // namespace meshwright::data::parquet
