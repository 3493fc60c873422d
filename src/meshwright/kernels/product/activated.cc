// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/product/activated.h"

#include "meshwright/base/check.h"
#include "meshwright/kernels/common/by_dtype.h"
#include "meshwright/kernels/simd/activation.h"
#include "meshwright/kernels/simd/lanes.h"

namespace meshwright::kernels {

std::int64_t activation_room(const MaybeActivated& lines,
                             std::int64_t num_lines,
                             std::int64_t inner) {
  return lines.activation ? padded(num_lines * inner) : 0;
}

Lines activated(const MaybeActivated& from, Range lines, Range inner, ScratchParts& scratch) {
  const Lines x = from.lines.from(lines.begin, inner.begin);
  if (!from.activation) return x;
  MW_CHECK(x.is_inner_dense, "activated() needs lines that are contiguous in memory");
  const std::ptrdiff_t offset = x.data - from.lines.data;
  const std::byte* factor = from.factor == nullptr ? nullptr : from.factor + offset;
  auto* out = reinterpret_cast<std::byte*>(scratch.take(padded(lines.size() * inner.size())));
  by_dtype(x.dtype, [&]<typename T>(T) {
    activate(*from.activation, ActivatedRows<T>{.rows = lines.size(),
                                                .columns = inner.size(),
                                                .step = x.step,
                                                .x = reinterpret_cast<const T*>(x.data),
                                                .factor = reinterpret_cast<const T*>(factor),
                                                .out = reinterpret_cast<T*>(out),
                                                .out_step = inner.size()});
  });
  return {out, x.dtype, true, inner.size()};
}

void differentiate(const ActivatedArrays& arrays, const Block& block, DType dtype, std::byte* out) {
  by_dtype(dtype, [&]<typename T>(T) {
    const std::ptrdiff_t offset = block.rows.begin * block.step + block.columns.begin;
    const auto from = [&](const std::byte* array) {
      return array == nullptr ? nullptr : reinterpret_cast<const T*>(array) + offset;
    };
    const auto to = [&](std::byte* array) {
      return array == nullptr ? nullptr : reinterpret_cast<T*>(array) + offset;
    };
    differentiate_activation(arrays.activation,
                             DifferentiatedRows<T>{.rows = block.rows.size(),
                                                   .columns = block.columns.size(),
                                                   .step = block.step,
                                                   .x = from(arrays.x),
                                                   .factor = from(arrays.factor),
                                                   .gradient = to(out),
                                                   .activated = to(arrays.activated),
                                                   .d_factor = to(arrays.d_factor)});
  });
}

}  // namespace meshwright::kernels
