// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/page_header.h"

#include <array>

#include "meshwright/base/error.h"
#include "meshwright/data/parquet/thrift_reader.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::array<std::string_view, 10> kEncodings = {
    "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
    "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
    "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};

Encoding encoding_of(std::int64_t value) {
  if (value < 0 || value >= std::ssize(kEncodings))
    fail(ErrorCode::data_loss, "unknown encoding ", value);
  return static_cast<Encoding>(value);
}

// Parses the headers of data pages of version 1 and of dictionary pages.
bool parse_field(ThriftReader& reader, const ThriftField& field, PageHeader& out) {
  switch (field.id) {
    case 1:
      out.num_values = static_cast<std::size_t>(reader.size(field));
      return true;
    case 2:
      out.encoding = encoding_of(reader.integer(field));
      return true;
    case 3:
      if (out.kind == PageKind::dictionary) return false;
      out.definition_encoding = encoding_of(reader.integer(field));
      return true;
    case 4:
      out.repetition_encoding = encoding_of(reader.integer(field));
      return true;
    default:
      return false;
  }
}

bool parse_field_v2(ThriftReader& reader, const ThriftField& field, PageHeader& out) {
  switch (field.id) {
    case 1:
      out.num_values = static_cast<std::size_t>(reader.size(field));
      return true;
    case 4:
      out.encoding = encoding_of(reader.integer(field));
      return true;
    case 5:
      out.num_definition_bytes = static_cast<std::size_t>(reader.size(field));
      return true;
    case 6:
      out.num_repetition_bytes = static_cast<std::size_t>(reader.size(field));
      return true;
    case 7:
      out.is_compressed = reader.boolean(field);
      return true;
    default:
      return false;
  }
}

PageKind kind_of(std::int64_t value) {
  if (value < 0 || value > static_cast<int>(PageKind::data_v2))
    fail(ErrorCode::data_loss, "unknown page type ", value);
  return static_cast<PageKind>(value);
}

// The number of the field that has the details of a page of this kind.
int details_field(PageKind kind) {
  constexpr std::array<int, 4> fields = {5, 6, 7, 8};
  return fields.at(static_cast<std::size_t>(kind));
}

}  // namespace

std::string_view to_string(Encoding encoding) {
  return kEncodings.at(static_cast<std::size_t>(encoding));
}

PageHeader parse_page_header(std::string_view bytes) {
  ThriftReader reader(bytes);
  PageHeader out;
  int num_required = 0;
  bool has_details = false;
  reader.read_struct([&](const ThriftField& field) {
    if (field.id >= 1 && field.id <= 3) ++num_required;
    if (field.id == 1) {
      out.kind = kind_of(reader.integer(field));
    } else if (field.id == 2) {
      out.num_uncompressed = static_cast<std::size_t>(reader.size(field));
    } else if (field.id == 3) {
      out.num_stored = static_cast<std::size_t>(reader.size(field));
    } else if (field.id == 4) {
      out.crc = static_cast<std::uint32_t>(reader.integer(field));
    } else if (num_required == 3 && field.id == details_field(out.kind)) {
      has_details = true;
      const auto parse = out.kind == PageKind::data_v2 ? parse_field_v2 : parse_field;
      reader.read_struct(field, [&](const ThriftField& f) { return parse(reader, f, out); });
    } else {
      return false;
    }
    return true;
  });
  if (num_required != 3 || !has_details) {
    if (num_required != 3 || out.kind != PageKind::index)
      fail(ErrorCode::data_loss, "the page header lacks required fields");
  }
  out.num_header = reader.num_read();
  return out;
}

}  // namespace meshwright::data::parquet
