// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/literal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "meshwright/base/str.h"

namespace meshwright::graph {
namespace {

struct SpecialBits {
  const char* nan;
  const char* positive;
  const char* negative;
};

SpecialBits special_bits(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return {"0x7FF8000000000000", "0x7FF0000000000000", "0xFFF0000000000000"};
    case DType::f32:
      return {"0x7FC00000", "0x7F800000", "0xFF800000"};
    case DType::bf16:
      return {"0x7FC0", "0x7F80", "0xFF80"};
    case DType::f16:
      return {"0x7E00", "0x7C00", "0xFC00"};
    case DType::f8e5m2:
      return {"0x7E", "0x7C", "0xFC"};
    default:  // f8e4m3fn has no infinities
      return {"0x7F", "0x7F", "0xFF"};
  }
}

// MLIR writes infinities and NaN only as hexadecimal bit patterns.
std::string special_literal(double number, DType dtype) {
  SpecialBits bits = special_bits(dtype);
  if (std::isnan(number)) return bits.nan;
  return std::signbit(number) ? bits.negative : bits.positive;
}

std::string float_literal(double number, DType dtype) {
  if (!std::isfinite(number)) return special_literal(number, dtype);
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof(digits), number, std::chars_format::scientific);
  std::string text(digits, end.ptr);
  // MLIR requires a decimal point.
  if (text.find('.') == std::string::npos) text.insert(text.find('e'), ".0");
  return text;
}

// Returns the largest value of the dtype if `sign` is 1, the smallest if it is -1.
std::string extreme_literal(DType dtype, int sign) {
  if (dtype == DType::f8e4m3fn) return float_literal(sign * 448.0, dtype);
  if (is_float(dtype)) return float_literal(sign * std::numeric_limits<double>::infinity(), dtype);
  if (dtype == DType::pred) return sign < 0 ? "false" : "true";
  int bits = bit_width(dtype);
  if (!is_signed(dtype)) return sign < 0 ? "0" : str(~std::uint64_t{0} >> (64 - bits));
  std::int64_t largest = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  return str(sign < 0 ? -largest - 1 : largest);
}

}  // namespace

std::string literal(double number, DType dtype) {
  if (is_float(dtype)) return float_literal(number, dtype);
  if (dtype == DType::pred) return number != 0 ? "true" : "false";
  return str(static_cast<std::int64_t>(number));
}

std::string literal(std::int64_t number, DType dtype) {
  if (dtype == DType::u64) return str(static_cast<std::uint64_t>(number));
  if (is_integer(dtype)) return str(number);
  return literal(static_cast<double>(number), dtype);
}

std::string lowest_literal(DType dtype) {
  return extreme_literal(dtype, -1);
}

std::string highest_literal(DType dtype) {
  return extreme_literal(dtype, 1);
}

std::string all_bits_literal(DType dtype) {
  return is_signed(dtype) ? literal(std::int64_t{-1}, dtype) : highest_literal(dtype);
}

}  // namespace meshwright::graph
