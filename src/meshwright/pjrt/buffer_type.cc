// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/buffer_type.h"

#include "meshwright/base/error.h"

namespace meshwright::pjrt {

c::BufferType to_c(DType dtype) {
  switch (dtype) {
    case DType::pred:
      return c::BufferType::pred;
    case DType::s4:
      return c::BufferType::s4;
    case DType::u4:
      return c::BufferType::u4;
    case DType::s8:
      return c::BufferType::s8;
    case DType::s16:
      return c::BufferType::s16;
    case DType::s32:
      return c::BufferType::s32;
    case DType::s64:
      return c::BufferType::s64;
    case DType::u8:
      return c::BufferType::u8;
    case DType::u16:
      return c::BufferType::u16;
    case DType::u32:
      return c::BufferType::u32;
    case DType::u64:
      return c::BufferType::u64;
    case DType::f8e4m3fn:
      return c::BufferType::f8e4m3fn;
    case DType::f8e5m2:
      return c::BufferType::f8e5m2;
    case DType::f16:
      return c::BufferType::f16;
    case DType::bf16:
      return c::BufferType::bf16;
    case DType::f32:
      return c::BufferType::f32;
    case DType::f64:
      return c::BufferType::f64;
  }
  return c::BufferType::invalid;
}

DType from_c(c::BufferType type) {
  for (DType dtype : kAllDTypes)
    if (to_c(dtype) == type) return dtype;
  fail(ErrorCode::unimplemented, "arrays of PJRT element type ", static_cast<int>(type),
       " are not supported\ncast such a result to another dtype in the program");
}

}  // namespace meshwright::pjrt
