// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/array.h"
#include "meshwright/io/zarr/chunk.h"
#include "meshwright/io/zarr/v2_dtype.h"

namespace meshwright::io::zarr {
namespace {

void write_list(JsonWriter& json, const Dims& dims) {
  json.begin_array();
  for (std::int64_t size : dims)
    json.value(size);
  json.end_array();
}

CodecPtr make_codec(const WriteOptions& options, std::size_t element_bytes) {
  switch (options.compressor) {
    case Compressor::zstd:
      return zstd_codec({.level = options.level});
    case Compressor::gzip:
      return deflate_codec(DeflateFraming::gzip, options.level);
    case Compressor::zlib:
      return deflate_codec(DeflateFraming::zlib, options.level);
    case Compressor::blosc:
      return blosc_codec(
          {.level = options.level, .shuffle = options.shuffle, .element_bytes = element_bytes});
    case Compressor::none:
      break;
  }
  return nullptr;
}

void write_compressor(JsonWriter& json, const WriteOptions& options) {
  if (options.compressor == Compressor::none) {
    json.null();
  } else if (options.compressor == Compressor::blosc) {
    json.begin_object().field("blocksize", 0).field("clevel", options.level);
    json.field("cname", "lz4").field("id", "blosc");
    json.field("shuffle", static_cast<int>(options.shuffle)).end_object();
  } else {
    constexpr const char* kCompressors[] = {"", "zstd", "gzip", "zlib"};
    json.begin_object().field("id", kCompressors[static_cast<int>(options.compressor)]);
    json.field("level", options.level).end_object();
  }
}

void write_filters(JsonWriter& json, const WriteOptions& options, const std::string& dtype) {
  if (!options.is_delta) {
    json.null();
    return;
  }
  json.begin_array().begin_object().field("astype", dtype).field("dtype", dtype);
  json.field("id", "delta").end_object().end_array();
}

}  // namespace

Writer::Writer(std::shared_ptr<FileSystem> files,
               std::string folder,
               ArrayType type,
               WriteOptions options)
    : files_(std::move(files)), folder_(std::move(folder)), options_(std::move(options)) {
  check_sizes(type, options_.chunk);
  metadata_.type = std::move(type);
  metadata_.chunk = options_.chunk;
  metadata_.keys.separator = options_.separator;
  metadata_.format.is_delta = options_.is_delta;
  MW_CHECK(!options_.is_delta || is_integer(metadata_.type.dtype), "zarr: differences of ",
           metadata_.type.dtype, " cannot be stored");
  if (CodecPtr codec = make_codec(options_, byte_size(metadata_.type.dtype))) {
    metadata_.format.codecs.push_back(std::move(codec));
  }
}

std::string Writer::metadata_text() const {
  JsonWriter json;
  json.begin_object().key("chunks");
  write_list(json, metadata_.chunk);
  json.key("compressor");
  write_compressor(json, options_);
  if (options_.names_separator) {
    json.field("dimension_separator", std::string_view(&options_.separator, 1));
  }
  const std::string dtype = v2_dtype_name(metadata_.type.dtype);
  json.field("dtype", dtype).key("fill_value").null().key("filters");
  write_filters(json, options_, dtype);
  json.field("order", "C").key("shape");
  write_list(json, metadata_.type.dims);
  json.field("zarr_format", 2).end_object();
  return json.str();
}

void Writer::write_metadata() const {
  files_->make_folder(folder_);
  write_text(*files_, join_path(folder_, ".zarray"), metadata_text(), options_.durability);
}

std::string Writer::chunk_path(const Dims& place) const {
  return join_path(folder_, metadata_.keys.key(place));
}

void Writer::write_chunk(const Dims& place, const HostTensor& elements) const {
  const Dims& dims = metadata_.type.dims;
  MW_CHECK(elements.dtype() == metadata_.type.dtype && place.size() == dims.size(),
           "zarr: cannot write chunk ", place, " of ", metadata_.type, " from ", elements.type());
  Dims left;  // size of the chunk within the array
  for (std::size_t d = 0; d < dims.size(); ++d)
    left.push_back(std::min(metadata_.chunk[d], dims[d] - place[d] * metadata_.chunk[d]));
  MW_CHECK(elements.dims() == left || elements.dims() == metadata_.chunk, "zarr: chunk ", place,
           " of ", metadata_.type, " has shape ", left, ", got ", elements.dims());
  HostTensor padded = elements;
  if (elements.dims() != metadata_.chunk) {
    padded = HostTensor(ArrayType{elements.dtype(), metadata_.chunk});
    copy_overlap(elements.data(), whole_ranges(elements.dims()), padded.mutable_data(),
                 whole_ranges(metadata_.chunk), byte_size(elements.dtype()));
  }
  std::string path = chunk_path(place);
  if (options_.separator == '/' && place.size() > 1) files_->make_folder(parent_of(path));
  if (metadata_.format.codecs.empty() && !metadata_.format.is_delta) {
    write_file(*files_, path, padded.bytes(), options_.durability);
  } else {
    Buffer stored = encode_chunk(metadata_.format, padded.dtype(), padded.bytes());
    write_file(*files_, path, stored.span(), options_.durability);
  }
}

}  // namespace meshwright::io::zarr
