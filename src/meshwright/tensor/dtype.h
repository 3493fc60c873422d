// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace meshwright {

/// Element types of arrays.
enum class DType : std::uint8_t {
  pred,  // boolean, one byte
  s4,
  u4,
  s8,
  s16,
  s32,
  s64,
  u8,
  u16,
  u32,
  u64,
  f8e4m3fn,
  f8e5m2,
  f16,
  bf16,
  f32,
  f64,
};

inline constexpr std::array kAllDTypes = {
    DType::pred,   DType::s4,  DType::u4,   DType::s8,  DType::s16, DType::s32,
    DType::s64,    DType::u8,  DType::u16,  DType::u32, DType::u64, DType::f8e4m3fn,
    DType::f8e5m2, DType::f16, DType::bf16, DType::f32, DType::f64};

// Short names for graph code, as in cast(x, f32).
inline constexpr DType pred = DType::pred;
inline constexpr DType s32 = DType::s32;
inline constexpr DType s64 = DType::s64;
inline constexpr DType u8 = DType::u8;
inline constexpr DType u32 = DType::u32;
inline constexpr DType u64 = DType::u64;
inline constexpr DType f16 = DType::f16;
inline constexpr DType bf16 = DType::bf16;
inline constexpr DType f32 = DType::f32;
inline constexpr DType f64 = DType::f64;

/// Returns the width of one element in bits; 4 for s4 and u4.
int bit_width(DType dtype);
/// Returns the bytes per element in host memory; 1 for s4 and u4.
std::size_t byte_size(DType dtype);

bool is_float(DType dtype);
/// True for signed and unsigned integers, false for booleans.
bool is_integer(DType dtype);
bool is_signed(DType dtype);

/// Returns the name used in messages, as XLA prints it, such as "bf16", "s32" or "pred".
std::string_view dtype_name(DType dtype);
/// Inverse of dtype_name(). Also accepts "bool", "i32" and NumPy names such as "float32".
std::optional<DType> find_dtype(std::string_view name);
/// Returns the name in NumPy, JAX and zarr 3, such as "bfloat16", "int32" or "bool".
std::string_view numpy_name(DType dtype);
/// Returns the element type in StableHLO text, such as "bf16", "i32", "ui8", "i1" or "f8E4M3FN".
std::string_view stablehlo_name(DType dtype);

inline std::string to_string(DType dtype) {
  return std::string(dtype_name(dtype));
}

}  // namespace meshwright
