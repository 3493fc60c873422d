// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "meshwright/tensor/dtype.h"

namespace meshwright::io::zarr {

struct V2DType {
  DType dtype = DType::f32;
  bool is_big_endian = false;
};

/// Parses "<f4", ">i2", "|b1", "bfloat16", "float8_e5m2", "int4" and the like. Throws unimplemented
/// for any other dtype, such as "<c8".
V2DType parse_v2_dtype(std::string_view text);
/// Returns the little-endian name of a dtype.
std::string v2_dtype_name(DType dtype);

}  // namespace meshwright::io::zarr
