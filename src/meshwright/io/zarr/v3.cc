// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meshwright/base/error.h"
#include "meshwright/io/codecs/chain.h"
#include "meshwright/io/codecs/named.h"
#include "meshwright/io/zarr/fields.h"
#include "meshwright/io/zarr/metadata.h"

namespace meshwright::io::zarr {
namespace {

constexpr int kMaxShardDepth = 3;
constexpr std::int64_t kMaxInnerChunks = std::int64_t{1} << 20;  // an index of 16 MiB

struct NamedSettings {
  std::string name;
  const JsonValue* settings = nullptr;
};

// Reads {"name": ..., "configuration": {...}}, or just the name.
NamedSettings read_named(const JsonValue& value) {
  if (value.is_text()) return {value.as_text(), nullptr};
  return {value.at("name").as_text(), value.find("configuration")};
}

const JsonValue& setting(const NamedSettings& named, std::string_view name) {
  if (named.settings == nullptr) fail(ErrorCode::data_loss, "has no '", name, "'");
  return named.settings->at(name);
}

std::vector<int> read_order(const JsonValue& value, std::size_t rank) {
  std::vector<int> out;
  for (std::int64_t dim : read_dims(value)) {
    bool is_new = std::ranges::find(out, dim) == out.end();
    if (dim < 0 || dim >= static_cast<std::int64_t>(rank) || !is_new) {
      fail(ErrorCode::data_loss, "order ", to_string(value), " is not a permutation");
    }
    out.push_back(static_cast<int>(dim));
  }
  if (out.size() != rank)
    fail(ErrorCode::data_loss, "order ", to_string(value), " does not match ", rank, " dimensions");
  return out;
}

ChunkFormat read_codecs(const JsonValue& list, const ArrayType& chunk, int depth);

InnerChunks read_inner(const NamedSettings& named, const ArrayType& chunk, int depth) {
  if (depth == kMaxShardDepth) {
    fail(ErrorCode::unimplemented, "inner chunks nested deeper than ", kMaxShardDepth,
         " levels are not supported");
  }
  InnerChunks out;
  out.dims = read_dims(setting(named, "chunk_shape"));
  check_sizes(chunk, out.dims);
  Dims grid;
  for (std::size_t i = 0; i < out.dims.size(); ++i) {
    if (chunk.dims[i] % out.dims[i] != 0) {
      fail(ErrorCode::data_loss, "inner chunks ", out.dims, " do not divide ", chunk.dims);
    }
    grid.push_back(chunk.dims[i] / out.dims[i]);
  }
  if (!product_below(grid, kMaxInnerChunks)) {
    fail(ErrorCode::data_loss, "inner chunks ", out.dims, " of ", chunk.dims, ": more than ",
         kMaxInnerChunks);
  }
  out.format = std::make_shared<const ChunkFormat>(
      read_codecs(setting(named, "codecs"), {chunk.dtype, out.dims}, depth + 1));
  ChunkFormat index =
      read_codecs(setting(named, "index_codecs"), {DType::u64, {1, 2}}, kMaxShardDepth);
  if (index.is_big_endian || !index.order.empty() || !encoded_size(index.codecs, 16)) {
    fail(ErrorCode::unimplemented,
         "index_codecs other than little-endian bytes and crc32c are not supported");
  }
  out.index_codecs = index.codecs;
  if (const JsonValue* location = named.settings->find("index_location")) {
    out.is_index_at_start = location->as_text() == "start";
    if (!out.is_index_at_start && location->as_text() != "end") {
      fail(ErrorCode::data_loss, "index_location is '", location->as_text(), "'");
    }
  }
  return out;
}

// Codecs map arrays to arrays (transpose), then to bytes (bytes, sharding_indexed), then bytes to
// bytes.
ChunkFormat read_codecs(const JsonValue& list, const ArrayType& chunk, int depth) {
  ChunkFormat out;
  bool is_bytes = false;
  for (const JsonValue& entry : list.as_array()) {
    NamedSettings named = read_named(entry);
    bool takes_array =
        named.name == "transpose" || named.name == "bytes" || named.name == "sharding_indexed";
    if (takes_array == is_bytes) {
      fail(ErrorCode::data_loss, "codec '", named.name, "' is in the wrong place");
    }
    if (named.name == "transpose") {
      if (!out.order.empty())
        fail(ErrorCode::unimplemented, "two transpose codecs are not supported");
      out.order = read_order(setting(named, "order"), chunk.dims.size());
    } else if (named.name == "bytes") {
      is_bytes = true;
      const JsonValue* endian =
          named.settings == nullptr ? nullptr : named.settings->find("endian");
      out.is_big_endian = endian != nullptr && endian->as_text() == "big";
    } else if (named.name == "sharding_indexed") {
      is_bytes = true;
      if (!out.order.empty())
        fail(ErrorCode::unimplemented, "sharding_indexed after transpose is not supported");
      out.inner = read_inner(named, chunk, depth);
    } else {
      out.codecs.push_back(named_codec(named.name, named.settings, byte_size(chunk.dtype)));
    }
  }
  if (!is_bytes) fail(ErrorCode::data_loss, "no codec converts the array to bytes");
  check_chain(out.codecs);
  return out;
}

KeyEncoding read_keys(const JsonValue& value) {
  NamedSettings named = read_named(value);
  if (named.name != "default" && named.name != "v2") {
    fail(ErrorCode::unimplemented, "'", named.name, "' is not supported");
  }
  bool is_default = named.name == "default";
  KeyEncoding out{is_default, is_default ? '/' : '.'};
  const JsonValue* separator =
      named.settings == nullptr ? nullptr : named.settings->find("separator");
  if (separator == nullptr) return out;
  if (separator->as_text() != "/" && separator->as_text() != ".") {
    fail(ErrorCode::data_loss, "separator is '", separator->as_text(), "'");
  }
  out.separator = separator->as_text()[0];
  return out;
}

DType read_dtype(const JsonValue& value) {
  for (DType dtype : kAllDTypes) {
    if (value.is_text() && value.as_text() == numpy_name(dtype)) return dtype;
  }
  fail(ErrorCode::unimplemented, "data_type ", to_string(value), " is not supported");
}

Dims read_chunk(const JsonValue& value) {
  NamedSettings named = read_named(value);
  if (named.name != "regular")
    fail(ErrorCode::unimplemented, "'", named.name, "' is not supported");
  return read_dims(setting(named, "chunk_shape"));
}

void check_transformers(const JsonValue& json) {
  const JsonValue* transformers = json.find("storage_transformers");
  if (transformers != nullptr && !transformers->as_array().empty()) {
    fail(ErrorCode::unimplemented, "storage_transformers are not supported");
  }
}

Metadata read_v3(const JsonValue& json) {
  if (json.at("zarr_format").as_integer() != 3) fail(ErrorCode::data_loss, "is not version 3");
  if (json.at("node_type").as_text() != "array") fail(ErrorCode::data_loss, "is not an array");
  check_transformers(json);
  Metadata out;
  out.type = {read_member(json, "data_type", read_dtype), read_member(json, "shape", read_dims)};
  out.chunk = read_member(json, "chunk_grid", read_chunk);
  check_sizes(out.type, out.chunk);
  out.fill = read_member(json, "fill_value",
                         [&](const JsonValue& v) { return read_fill(v, out.type.dtype); });
  out.keys = read_member(json, "chunk_key_encoding", read_keys);
  out.format = read_member(json, "codecs", [&](const JsonValue& v) {
    return read_codecs(v, {out.type.dtype, out.chunk}, 0);
  });
  return out;
}

}  // namespace

Metadata parse_v3(std::string_view json, const std::string& name) {
  return read_named_json(json, name, read_v3);
}

}  // namespace meshwright::io::zarr
