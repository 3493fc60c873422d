// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/: decoders of the delta encodings. All throw data_loss.
#pragma once

#include <memory>
#include <string_view>

#include "meshwright/data/parquet/value_decoder.h"

namespace meshwright::data::parquet {

/// DELTA_BINARY_PACKED integers of `width` bytes.
std::unique_ptr<ValueDecoder> delta_numbers(std::string_view bytes, std::size_t width);
/// DELTA_LENGTH_BYTE_ARRAY.
std::unique_ptr<ValueDecoder> delta_length_text(std::string_view bytes);
/// DELTA_BYTE_ARRAY. Memory: one value, plus at most 1 MiB.
std::unique_ptr<ValueDecoder> delta_text(std::string_view bytes);

}  // namespace meshwright::data::parquet
