// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/proto_reader.h"

#include "meshwright/base/check.h"

namespace meshwright {
namespace {

constexpr int kVarint = 0;
constexpr int kFixed64 = 1;
constexpr int kBytes = 2;
constexpr int kFixed32 = 5;

std::uint64_t take_varint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (int shift = 0; !rest.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  fail(ErrorCode::data_loss, "protocol buffer: truncated number");
}

std::string_view take(std::string_view& rest, std::uint64_t size) {
  if (size > rest.size())
    fail(ErrorCode::data_loss, "protocol buffer: a field of ", size, " bytes, but ", rest.size(),
         " are left");
  const std::string_view out = rest.substr(0, size);
  rest.remove_prefix(size);
  return out;
}

std::uint64_t take_fixed(std::string_view& rest, std::size_t size) {
  std::uint64_t value = 0;
  const std::string_view bytes = take(rest, size);
  for (std::size_t i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

ProtoField take_field(std::string_view& rest) {
  const std::string_view begin = rest;
  const std::uint64_t tag = take_varint(rest);
  ProtoField field{.number = static_cast<int>(tag >> 3)};
  switch (tag & 7) {
    case kVarint:
      field.value = take_varint(rest);
      break;
    case kFixed64:
      field.value = take_fixed(rest, 8);
      break;
    case kBytes:
      field.bytes = take(rest, take_varint(rest));
      break;
    case kFixed32:
      field.value = take_fixed(rest, 4);
      break;
    default:
      fail(ErrorCode::data_loss, "protocol buffer: invalid wire type ", tag & 7);
  }
  field.raw = begin.substr(0, begin.size() - rest.size());
  return field;
}

}  // namespace

std::vector<ProtoField> read_proto(std::string_view message) {
  std::vector<ProtoField> fields;
  while (!message.empty())
    fields.push_back(take_field(message));
  return fields;
}

void append_integers(const ProtoField& field, std::vector<std::int64_t>& out) {
  if (field.bytes.empty()) return out.push_back(field.int64());
  for (std::string_view rest = field.bytes; !rest.empty();)
    out.push_back(static_cast<std::int64_t>(take_varint(rest)));
}

}  // namespace meshwright
