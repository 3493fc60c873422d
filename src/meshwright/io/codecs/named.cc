// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/codecs/named.h"

#include "meshwright/base/error.h"
#include "meshwright/io/codecs/bzip2.h"

namespace meshwright::io {
namespace {

const JsonValue* find(const JsonValue* settings, std::string_view name) {
  return settings == nullptr ? nullptr : settings->find(name);
}

int level(const JsonValue* settings, std::string_view name, int otherwise) {
  const JsonValue* value = find(settings, name);
  if (value == nullptr) return otherwise;
  std::int64_t number = value->as_integer();
  if (number < -1000 || number > 1000) fail(ErrorCode::data_loss, name, " is ", number);
  return static_cast<int>(number);
}

// Version 2 uses numbers (-1 means that the element size decides), version 3 uses names.
BloscShuffle shuffle_of(const JsonValue* value, std::size_t element_bytes) {
  if (value == nullptr) return BloscShuffle::bytes;
  if (value->is_text()) {
    if (value->as_text() == "noshuffle") return BloscShuffle::none;
    if (value->as_text() == "shuffle") return BloscShuffle::bytes;
    if (value->as_text() == "bitshuffle") return BloscShuffle::bits;
    fail(ErrorCode::data_loss, "blosc: unknown shuffle '", value->as_text(), "'");
  }
  std::int64_t number = value->as_integer();
  if (number == -1) return element_bytes == 1 ? BloscShuffle::bits : BloscShuffle::bytes;
  if (number < 0 || number > 2) fail(ErrorCode::data_loss, "blosc: unknown shuffle ", number);
  return static_cast<BloscShuffle>(number);
}

CodecPtr read_blosc(const JsonValue* settings, std::size_t element_bytes) {
  BloscOptions options{.element_bytes = element_bytes};
  if (const JsonValue* name = find(settings, "cname")) options.compressor = name->as_text();
  options.level = level(settings, "clevel", options.level);
  options.shuffle = shuffle_of(find(settings, "shuffle"), element_bytes);
  if (const JsonValue* block = find(settings, "blocksize")) {
    std::int64_t bytes = block->as_integer();
    if (bytes < 0 || bytes > (1 << 30))
      fail(ErrorCode::data_loss, "blosc: invalid block size ", bytes);
    options.block_bytes = static_cast<std::size_t>(bytes);
  }
  return blosc_codec(options);
}

}  // namespace

CodecPtr named_codec(std::string_view name, const JsonValue* settings, std::size_t element_bytes) {
  if (name == "zstd") {
    const JsonValue* checksum = find(settings, "checksum");
    return zstd_codec({.level = level(settings, "level", 1),
                       .checksum = checksum != nullptr && checksum->as_bool()});
  }
  if (name == "gzip") return deflate_codec(DeflateFraming::gzip, level(settings, "level", 1));
  if (name == "zlib") return deflate_codec(DeflateFraming::zlib, level(settings, "level", 1));
  if (name == "bz2") return bzip2_codec(level(settings, "level", 1));
  if (name == "blosc") return read_blosc(settings, element_bytes);
  if (name == "crc32c") return crc32c_codec();
  fail(ErrorCode::unimplemented, "codec '", name,
       "' is not supported\nsupported: zstd, gzip, zlib, bz2, blosc and crc32c");
}

}  // namespace meshwright::io
