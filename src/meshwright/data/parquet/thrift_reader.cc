// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/thrift_reader.h"

#include <limits>

#include "meshwright/base/error.h"

namespace meshwright::data::parquet {
namespace {

constexpr int kMaxStructDepth = 32;
constexpr int kMaxType = 13;
constexpr std::size_t kUuidBytes = 16;

[[noreturn]] void fail_thrift(std::string_view problem) {
  fail(ErrorCode::data_loss, "metadata: ", problem);
}

}  // namespace

void ThriftReader::enter() {
  if (++depth_ > kMaxStructDepth) fail_thrift("nested too deeply");
}

void ThriftReader::expect(bool is_expected) {
  if (!is_expected) fail_thrift("a field has an unexpected type");
}

std::optional<ThriftField> ThriftReader::next_field(int last_id) {
  const std::uint8_t header = byte();
  const int type = header & 15;
  if (type == 0) return std::nullopt;
  if (type > kMaxType) fail_thrift("a field has an unknown type");
  const int delta = header >> 4;
  std::int64_t id = last_id + delta;
  if (delta == 0) id = zigzag();
  if (id < 0 || id > std::numeric_limits<std::int16_t>::max())
    fail_thrift("a field has an invalid number");
  return ThriftField{.id = static_cast<int>(id), .type = static_cast<ThriftType>(type)};
}

ThriftReader::ListHeader ThriftReader::list_header() {
  const std::uint8_t header = byte();
  const int type = header & 15;
  std::uint64_t size = header >> 4;
  if (size == 15) size = varint();
  // Some writers give an empty list no type.
  if (size > 0 && (type == 0 || type > kMaxType)) fail_thrift("a list has an unknown type");
  // Each element has at least one byte.
  if (size > bytes_.size() - num_read_) fail_thrift("truncated");
  return {.size = size,
          .element = {.id = 0, .type = static_cast<ThriftType>(type), .is_element = true}};
}

std::int64_t ThriftReader::integer(const ThriftField& field) {
  switch (field.type) {
    case ThriftType::int8:
      return static_cast<std::int8_t>(byte());
    case ThriftType::int16:
    case ThriftType::int32:
    case ThriftType::int64:
      return zigzag();
    default:
      expect(false);
      return 0;
  }
}

int ThriftReader::size(const ThriftField& field) {
  const std::int64_t value = integer(field);
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
    fail_thrift("a size is out of range");
  return static_cast<int>(value);
}

bool ThriftReader::boolean(const ThriftField& field) {
  expect(field.type == ThriftType::boolean_true || field.type == ThriftType::boolean_false);
  return field.is_element ? byte() == 1 : field.type == ThriftType::boolean_true;
}

std::string_view ThriftReader::text(const ThriftField& field) {
  expect(field.type == ThriftType::binary);
  return take(varint());
}

std::uint8_t ThriftReader::byte() {
  return static_cast<std::uint8_t>(take(1).front());
}

std::uint64_t ThriftReader::varint() {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t part = byte();
    out |= std::uint64_t{part & 0x7fU} << shift;
    if (part < 0x80) return out;
  }
  fail_thrift("a number is too long");
}

std::int64_t ThriftReader::zigzag() {
  const std::uint64_t value = varint();
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

std::string_view ThriftReader::take(std::uint64_t num_bytes) {
  if (num_bytes > bytes_.size() - num_read_) fail_thrift("truncated");
  const std::string_view out = bytes_.substr(num_read_, num_bytes);
  num_read_ += num_bytes;
  return out;
}

void ThriftReader::skip(const ThriftField& field) {
  switch (field.type) {
    case ThriftType::boolean_true:
    case ThriftType::boolean_false:
      if (field.is_element) take(1);
      return;
    case ThriftType::floating:
      take(sizeof(double));
      return;
    case ThriftType::binary:
      take(varint());
      return;
    case ThriftType::uuid:
      take(kUuidBytes);
      return;
    case ThriftType::list:
    case ThriftType::set:
      read_list(field, [](const ThriftField&) { return false; });
      return;
    case ThriftType::map:
      skip_map();
      return;
    case ThriftType::structure:
      read_struct([](const ThriftField&) { return false; });
      return;
    default:
      integer(field);
  }
}

void ThriftReader::skip_map() {
  enter();
  std::uint64_t size = varint();
  if (size > bytes_.size() - num_read_) fail_thrift("truncated");
  const std::uint8_t types = size == 0 ? 0 : byte();
  const auto field = [](int type) {
    if (type == 0 || type > kMaxType) fail_thrift("a map has an unknown type");
    return ThriftField{.id = 0, .type = static_cast<ThriftType>(type), .is_element = true};
  };
  for (; size > 0; --size) {
    skip(field(types >> 4));
    skip(field(types & 15));
  }
  --depth_;
}

}  // namespace meshwright::data::parquet
