// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/dtype.h"

#include <cassert>

namespace meshwright {
namespace {

enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating };

struct Row {
  DType dtype;
  Kind kind;
  int bits;
  std::string_view name;
  std::string_view stablehlo;
  std::string_view numpy;
};

// In the order of the enumerators.
constexpr std::array kRows = {
    Row{DType::pred, Kind::boolean, 8, "pred", "i1", "bool"},
    Row{DType::s4, Kind::signed_integer, 4, "s4", "i4", "int4"},
    Row{DType::u4, Kind::unsigned_integer, 4, "u4", "ui4", "uint4"},
    Row{DType::s8, Kind::signed_integer, 8, "s8", "i8", "int8"},
    Row{DType::s16, Kind::signed_integer, 16, "s16", "i16", "int16"},
    Row{DType::s32, Kind::signed_integer, 32, "s32", "i32", "int32"},
    Row{DType::s64, Kind::signed_integer, 64, "s64", "i64", "int64"},
    Row{DType::u8, Kind::unsigned_integer, 8, "u8", "ui8", "uint8"},
    Row{DType::u16, Kind::unsigned_integer, 16, "u16", "ui16", "uint16"},
    Row{DType::u32, Kind::unsigned_integer, 32, "u32", "ui32", "uint32"},
    Row{DType::u64, Kind::unsigned_integer, 64, "u64", "ui64", "uint64"},
    Row{DType::f8e4m3fn, Kind::floating, 8, "f8e4m3fn", "f8E4M3FN", "float8_e4m3fn"},
    Row{DType::f8e5m2, Kind::floating, 8, "f8e5m2", "f8E5M2", "float8_e5m2"},
    Row{DType::f16, Kind::floating, 16, "f16", "f16", "float16"},
    Row{DType::bf16, Kind::floating, 16, "bf16", "bf16", "bfloat16"},
    Row{DType::f32, Kind::floating, 32, "f32", "f32", "float32"},
    Row{DType::f64, Kind::floating, 64, "f64", "f64", "float64"},
};
static_assert(kRows.size() == kAllDTypes.size());

const Row& row(DType dtype) {
  const Row& found = kRows[static_cast<std::size_t>(dtype)];
  assert(found.dtype == dtype);
  return found;
}

}  // namespace

int bit_width(DType dtype) {
  return row(dtype).bits;
}

std::size_t byte_size(DType dtype) {
  return static_cast<std::size_t>((row(dtype).bits + 7) / 8);
}

bool is_float(DType dtype) {
  return row(dtype).kind == Kind::floating;
}

bool is_integer(DType dtype) {
  return row(dtype).kind == Kind::signed_integer || row(dtype).kind == Kind::unsigned_integer;
}

bool is_signed(DType dtype) {
  return row(dtype).kind == Kind::signed_integer || row(dtype).kind == Kind::floating;
}

std::string_view dtype_name(DType dtype) {
  return row(dtype).name;
}

std::optional<DType> find_dtype(std::string_view name) {
  for (const Row& candidate : kRows) {
    if (name == candidate.name || name == candidate.numpy || name == candidate.stablehlo) {
      return candidate.dtype;
    }
  }
  return std::nullopt;
}

std::string_view numpy_name(DType dtype) {
  return row(dtype).numpy;
}

std::string_view stablehlo_name(DType dtype) {
  return row(dtype).stablehlo;
}

}  // namespace meshwright
