// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace meshwright::data::parquet {

enum class PageKind { data = 0, index = 1, dictionary = 2, data_v2 = 3 };

enum class Encoding {
  plain = 0,
  plain_dictionary = 2,
  rle = 3,
  bit_packed = 4,
  delta_binary_packed = 5,
  delta_length_byte_array = 6,
  delta_byte_array = 7,
  rle_dictionary = 8,
  byte_stream_split = 9,
};

/// Returns the name by which the format's specification calls an encoding.
std::string_view to_string(Encoding encoding);

struct PageHeader {
  PageKind kind = PageKind::data;
  std::size_t num_stored = 0;        // bytes after the header
  std::size_t num_uncompressed = 0;  // bytes
  std::optional<std::uint32_t> crc = {};
  std::size_t num_values = 0;  // nulls included
  Encoding encoding = Encoding::plain;
  Encoding definition_encoding = Encoding::rle;  // version 1 only
  Encoding repetition_encoding = Encoding::rle;  // version 1 only
  // Version 2 only: its levels are stored uncompressed before the values.
  std::size_t num_definition_bytes = 0;
  std::size_t num_repetition_bytes = 0;
  bool is_compressed = true;

  std::size_t num_header = 0;  // bytes of the header itself
};

/// Parses the header at the beginning of `bytes`, which may continue after it. Throws data_loss.
PageHeader parse_page_header(std::string_view bytes);

}  // namespace meshwright::data::parquet
