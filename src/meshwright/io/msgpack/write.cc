// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/msgpack/write.h"

#include <initializer_list>

#include "meshwright/base/check.h"
#include "meshwright/io/buffer.h"

namespace meshwright::io {
namespace {

void append_big_endian(std::string& out, std::uint64_t value, int num_bytes) {
  for (int i = num_bytes - 1; i >= 0; --i)
    out += static_cast<char>(value >> (8 * i));
}

void append_tag(std::string& out, unsigned tag) {
  out += static_cast<char>(tag);
}

// Appends the length of a value: in the first byte if it is below `num_short`, or after the tag for
// the number of its bytes; 0 for no such tag.
struct LengthTags {
  unsigned in_byte = 0, num_short = 0;
  unsigned one = 0, two = 0, four = 0;
};

void append_length(std::string& out, std::uint64_t length, const LengthTags& tags) {
  if (length < tags.num_short) return append_tag(out, tags.in_byte | static_cast<unsigned>(length));
  if (tags.one != 0 && length <= UINT8_MAX) {
    append_tag(out, tags.one);
    return append_big_endian(out, length, 1);
  }
  if (length <= UINT16_MAX) {
    append_tag(out, tags.two);
    return append_big_endian(out, length, 2);
  }
  MW_CHECK(length <= UINT32_MAX, "msgpack: a value of ", length, " bytes is too long");
  append_tag(out, tags.four);
  append_big_endian(out, length, 4);
}

void append_bytes(std::string& out, std::span<const std::byte> bytes) {
  append_length(out, bytes.size(), {.one = 0xc4, .two = 0xc5, .four = 0xc6});
  out += as_text(bytes);
}

void append_extension(std::string& out, int type, const std::string& content) {
  unsigned tag = 0xd4;
  for (const std::size_t size : {1U, 2U, 4U, 8U, 16U}) {
    if (content.size() == size) break;
    ++tag;
  }
  if (tag <= 0xd8) {
    append_tag(out, tag);
  } else {
    append_length(out, content.size(), {.one = 0xc7, .two = 0xc8, .four = 0xc9});
  }
  append_tag(out, static_cast<unsigned>(type));
  out += content;
}

}  // namespace

void append_msgpack_map(std::string& out, std::size_t size) {
  append_length(out, size, {.in_byte = 0x80, .num_short = 16, .two = 0xde, .four = 0xdf});
}

void append_msgpack_list(std::string& out, std::size_t size) {
  append_length(out, size, {.in_byte = 0x90, .num_short = 16, .two = 0xdc, .four = 0xdd});
}

void append_msgpack_text(std::string& out, std::string_view text) {
  append_length(out, text.size(),
                {.in_byte = 0xa0, .num_short = 32, .one = 0xd9, .two = 0xda, .four = 0xdb});
  out += text;
}

void append_msgpack_integer(std::string& out, std::int64_t value) {
  if (value >= 0 && value < 0x80) return append_tag(out, static_cast<unsigned>(value));
  if (value < 0 && value >= -32) return append_tag(out, static_cast<unsigned>(value) & 0xffU);
  const auto bits = static_cast<std::uint64_t>(value);
  const bool is_positive = value >= 0;
  int num_bytes = 8;
  unsigned tag = is_positive ? 0xcf : 0xd3;
  for (const int size : {4, 2, 1}) {
    const std::int64_t most = (std::int64_t{1} << (8 * size - (is_positive ? 0 : 1))) - 1;
    const std::int64_t least = is_positive ? 0 : -most - 1;
    if (value < least || value > most) break;
    num_bytes = size;
    --tag;
  }
  append_tag(out, tag);
  append_big_endian(out, bits, num_bytes);
}

void append_msgpack_nil(std::string& out) {
  append_tag(out, 0xc0);
}

void append_msgpack_array(std::string& out, const HostTensor& array) {
  constexpr int kArray = 1;
  std::string content;
  append_msgpack_list(content, 3);
  append_msgpack_list(content, array.type().dims.size());
  for (const std::int64_t size : array.type().dims)
    append_msgpack_integer(content, size);
  append_msgpack_text(content, numpy_name(array.type().dtype));
  append_bytes(content, array.bytes());
  append_extension(out, kArray, content);
}

}  // namespace meshwright::io
