// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/fields.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "meshwright/base/error.h"
#include "meshwright/tensor/half.h"

namespace meshwright::io::zarr {
namespace {

template <typename T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

std::vector<std::byte> low_bytes(std::uint64_t bits, std::size_t count) {
  std::vector<std::byte> out = bytes_of(bits);
  out.resize(count);
  return out;
}

std::vector<std::byte> bits_from_hex(std::string_view text, DType dtype) {
  std::uint64_t bits = 0;
  auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size() ||
      text.size() != 2 + 2 * byte_size(dtype)) {
    fail(ErrorCode::data_loss, "'", text, "' is not a bit pattern of ", dtype);
  }
  return low_bytes(bits, byte_size(dtype));
}

double special_number(const std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  fail(ErrorCode::data_loss, "'", text, "' is not a number");
}

std::vector<std::byte> float_bytes(double number, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return bytes_of(number);
    case DType::f32:
      return bytes_of(static_cast<float>(number));
    case DType::f16:
      return bytes_of(Half(static_cast<float>(number)));
    case DType::bf16:
      return bytes_of(BFloat16(static_cast<float>(number)));
    default:
      break;
  }
  if (number != 0)
    fail(ErrorCode::unimplemented, "a nonzero fill value of ", dtype, " is not supported");
  return low_bytes(0, byte_size(dtype));
}

std::vector<std::byte> integer_bytes(const JsonValue& value, DType dtype) {
  double number = value.as_number();
  int bits = bit_width(dtype);
  double lowest = is_signed(dtype) ? -std::ldexp(1.0, bits - 1) : 0;
  double above = std::ldexp(1.0, is_signed(dtype) ? bits - 1 : bits);
  if (number < lowest || number >= above || number != std::floor(number)) {
    fail(ErrorCode::data_loss, number, " is not a valid ", dtype);
  }
  if (std::optional<std::int64_t> whole = value.find_integer()) {
    return low_bytes(static_cast<std::uint64_t>(*whole), byte_size(dtype));
  }
  return low_bytes(number < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                              : static_cast<std::uint64_t>(number),
                   byte_size(dtype));
}

}  // namespace

Dims read_dims(const JsonValue& value) {
  Dims out;
  for (const JsonValue& size : value.as_array())
    out.push_back(size.as_integer());
  return out;
}

std::vector<std::byte> read_fill(const JsonValue& value, DType dtype) {
  if (value.is_null()) return low_bytes(0, byte_size(dtype));
  if (dtype == DType::pred) return low_bytes(value.as_bool() ? 1 : 0, 1);
  if (value.is_text() && value.as_text().starts_with("0x")) {
    return bits_from_hex(value.as_text(), dtype);
  }
  if (!is_float(dtype)) return integer_bytes(value, dtype);
  return float_bytes(value.is_text() ? special_number(value.as_text()) : value.as_number(), dtype);
}

std::int64_t integer_or(const JsonValue* object, std::string_view name, std::int64_t otherwise) {
  const JsonValue* member = object == nullptr ? nullptr : object->find(name);
  return member == nullptr ? otherwise : member->as_integer();
}

}  // namespace meshwright::io::zarr
