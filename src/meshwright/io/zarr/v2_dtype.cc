// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/v2_dtype.h"

#include <array>

#include "meshwright/base/error.h"

namespace meshwright::io::zarr {
namespace {

struct Name {
  DType dtype;
  std::string_view text;  // preceded by '<' or '|' if NumPy knows the type
};

constexpr std::array kNames = {
    Name{DType::pred, "|b1"},
    Name{DType::s4, "int4"},
    Name{DType::u4, "uint4"},
    Name{DType::s8, "|i1"},
    Name{DType::s16, "<i2"},
    Name{DType::s32, "<i4"},
    Name{DType::s64, "<i8"},
    Name{DType::u8, "|u1"},
    Name{DType::u16, "<u2"},
    Name{DType::u32, "<u4"},
    Name{DType::u64, "<u8"},
    Name{DType::f8e4m3fn, "float8_e4m3fn"},
    Name{DType::f8e5m2, "float8_e5m2"},
    Name{DType::f16, "<f2"},
    Name{DType::bf16, "bfloat16"},
    Name{DType::f32, "<f4"},
    Name{DType::f64, "<f8"},
};
static_assert(kNames.size() == kAllDTypes.size());

bool is_order_mark(char c) {
  return c == '<' || c == '>' || c == '|' || c == '=';
}

}  // namespace

V2DType parse_v2_dtype(std::string_view text) {
  for (const Name& name : kNames) {
    if (name.text == text) return {name.dtype, false};
    bool both_marked = !text.empty() && is_order_mark(text[0]) && is_order_mark(name.text[0]);
    if (both_marked && name.text.substr(1) == text.substr(1)) {
      return {name.dtype, text[0] == '>' && byte_size(name.dtype) > 1};
    }
  }
  fail(ErrorCode::unimplemented, "dtype '", text, "' is not supported");
}

std::string v2_dtype_name(DType dtype) {
  for (const Name& name : kNames) {
    if (name.dtype == dtype) return std::string(name.text);
  }
  fail(ErrorCode::internal, "no name for ", dtype);
}

}  // namespace meshwright::io::zarr
