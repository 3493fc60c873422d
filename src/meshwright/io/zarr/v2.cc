// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>

#include "meshwright/base/error.h"
#include "meshwright/base/json.h"
#include "meshwright/io/codecs/chain.h"
#include "meshwright/io/codecs/named.h"
#include "meshwright/io/zarr/fields.h"
#include "meshwright/io/zarr/metadata.h"
#include "meshwright/io/zarr/v2_dtype.h"

namespace meshwright::io::zarr {
namespace {

// The only filter in use is numcodecs' Delta (token files of seqax). It keeps the width of the
// elements. Their sign does not matter, since sums wrap around.
void read_filters(const JsonValue& value, const ArrayType& type, ChunkFormat& format) {
  if (value.is_null() || value.as_array().empty()) return;
  const JsonValue& filter = value.as_array()[0];
  if (value.as_array().size() > 1 || filter.at("id").as_text() != "delta") {
    fail(ErrorCode::unimplemented,
         "filters other than one 'delta' are not supported: ", to_string(value));
  }
  for (std::string_view member : {"dtype", "astype"}) {
    const JsonValue* name = filter.find(member);
    if (name == nullptr) continue;
    const DType dtype = parse_v2_dtype(name->as_text()).dtype;
    if (!is_integer(dtype) || byte_size(dtype) != byte_size(type.dtype)) {
      fail(ErrorCode::unimplemented,
           "a delta filter that changes the dtype is not supported: ", to_string(filter));
    }
  }
  if (!is_integer(type.dtype)) {
    fail(ErrorCode::unimplemented, "a delta filter of ", type.dtype, " is not supported");
  }
  format.is_delta = true;
}

void read_order(const JsonValue& value, const ArrayType& type, ChunkFormat& format) {
  if (value.as_text() == "F") {
    format.order.resize(type.dims.size());
    std::iota(format.order.rbegin(), format.order.rend(), 0);
  } else if (value.as_text() != "C") {
    fail(ErrorCode::data_loss, "is '", value.as_text(), "', expected 'C' or 'F'");
  }
}

char read_separator(const JsonValue& value) {
  if (value.as_text() == ".") return '.';
  if (value.as_text() == "/") return '/';
  fail(ErrorCode::data_loss, "is '", value.as_text(), "', expected '.' or '/'");
}

Metadata read_v2(const JsonValue& json) {
  if (json.at("zarr_format").as_integer() != 2) fail(ErrorCode::data_loss, "is not version 2");
  V2DType dtype =
      read_member(json, "dtype", [](const JsonValue& v) { return parse_v2_dtype(v.as_text()); });
  Metadata out;
  out.type = {dtype.dtype, read_member(json, "shape", read_dims)};
  out.format.is_big_endian = dtype.is_big_endian;
  out.chunk = read_member(json, "chunks", read_dims);
  check_sizes(out.type, out.chunk);
  out.fill = read_member(json, "fill_value",
                         [&](const JsonValue& v) { return read_fill(v, dtype.dtype); });
  read_member(json, "order",
              [&](const JsonValue& v) { return read_order(v, out.type, out.format); });
  if (const JsonValue* filters = json.find("filters")) read_filters(*filters, out.type, out.format);
  if (json.find("dimension_separator") != nullptr) {
    out.keys.separator = read_member(json, "dimension_separator", read_separator);
  }
  const JsonValue& compressor = json.at("compressor");
  if (!compressor.is_null()) {
    out.format.codecs.push_back(
        named_codec(compressor.at("id").as_text(), &compressor, byte_size(dtype.dtype)));
  }
  return out;
}

}  // namespace

Metadata parse_v2(std::string_view json, const std::string& name) {
  return read_named_json(json, name, read_v2);
}

}  // namespace meshwright::io::zarr
