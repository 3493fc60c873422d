// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/random/parameters.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {

FloatFormat float_format(std::string_view function, DType dtype, SourceLoc loc) {
  switch (dtype) {
    case DType::f16:
      return {16, 10, DType::u16, 0x3c00, 0x1p-14};
    case DType::bf16:
      return {16, 7, DType::u16, 0x3f80, 0x1p-126};
    case DType::f32:
      return {32, 23, DType::u32, 0x3f800000, 0x1p-126};
    case DType::f64:
      return {64, 52, DType::u64, 0x3ff0000000000000, 0x1p-1022};
    default:
      fail(ErrorCode::invalid_argument, function, ": expected f16, bf16, f32 or f64, got ", dtype,
           origin(loc));
  }
}

void check_broadcast(std::string_view function,
                     const ArrayType& parameter,
                     const Dims& dims,
                     SourceLoc loc) {
  const Dims& have = parameter.dims;
  bool fits = have.size() <= dims.size();
  for (std::size_t i = 1; fits && i <= have.size(); ++i) {
    std::int64_t size = have[have.size() - i];
    fits = size == 1 || size == dims[dims.size() - i];
  }
  MW_CHECK(fits, function, ": parameter ", parameter, " does not broadcast to ", dims,
           ", the shape to draw", origin(loc));
}

}  // namespace meshwright::graph::random
