// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/product.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

// A tile of c stays in registers: 24 of 32, or 12 of 16.
constexpr int kTileRows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;
constexpr std::int64_t kTileVectors = 2;
// So many rows of a panel of b stay in the nearest cache.
constexpr std::int64_t kInnerBlock = 256;

/// kRows rows and kVectors vectors of c, over `inner` elements.
template <int kRows, int kVectors>
HWY_INLINE void multiply_tile(const Product& p,
                              const float* HWY_RESTRICT a,
                              const float* HWY_RESTRICT b,
                              std::int64_t inner,
                              bool add,
                              float* HWY_RESTRICT c) {
  const Floats d;
  Vector sums[kRows][kVectors];
  for (auto& row : sums)
    for (Vector& sum : row)
      sum = hn::Zero(d);
  for (std::int64_t l = 0; l < inner; ++l) {
    Vector columns[kVectors];
    for (int j = 0; j < kVectors; ++j)
      columns[j] = hn::LoadU(d, b + l * p.b_row + j * kWidth);
    HWY_UNROLL(12)
    for (int i = 0; i < kRows; ++i) {
      const Vector factor = hn::Set(d, a[i * p.a_row + l * p.a_inner]);
      for (int j = 0; j < kVectors; ++j)
        sums[i][j] = hn::MulAdd(factor, columns[j], sums[i][j]);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kVectors; ++j) {
      float* at = c + i * p.c_row + j * kWidth;
      hn::StoreU(add ? hn::Add(hn::LoadU(d, at), sums[i][j]) : sums[i][j], d, at);
    }
  }
}

/// The last rows, fewer than kRows + 1 of them.
template <int kRows, int kVectors>
// NOLINTNEXTLINE(readability-function-size): as multiply_tile, and how many
HWY_INLINE void multiply_rest(const Product& p,
                              std::int64_t rows,
                              const float* a,
                              const float* b,
                              std::int64_t inner,
                              bool add,
                              float* c) {
  if constexpr (kRows > 0) {
    if (rows == kRows) {
      multiply_tile<kRows, kVectors>(p, a, b, inner, add, c);
    } else {
      multiply_rest<kRows - 1, kVectors>(p, rows, a, b, inner, add, c);
    }
  }
}

template <int kVectors>
HWY_INLINE void multiply_panel(const Product& p, std::int64_t column, std::int64_t from) {
  const std::int64_t inner = std::min(kInnerBlock, p.inner - from);
  const float* b = p.b + from * p.b_row + column;
  const bool add = p.add || from > 0;
  std::int64_t i = 0;
  const float* a = p.a + from * p.a_inner;
  for (; i + kTileRows <= p.rows; i += kTileRows)
    multiply_tile<kTileRows, kVectors>(p, a + i * p.a_row, b, inner, add,
                                       p.c + i * p.c_row + column);
  multiply_rest<kTileRows - 1, kVectors>(p, p.rows - i, a + i * p.a_row, b, inner, add,
                                         p.c + i * p.c_row + column);
}

void multiply_here(const Product& p) {
  for (std::int64_t from = 0; from < p.inner || from == 0; from += kInnerBlock) {
    std::int64_t column = 0;
    for (; column + kTileVectors * kWidth <= p.columns; column += kTileVectors * kWidth)
      multiply_panel<kTileVectors>(p, column, from);
    for (; column < p.columns; column += kWidth)
      multiply_panel<1>(p, column, from);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(multiply_here);

void multiply(const Product& product) {
  HWY_DYNAMIC_DISPATCH(multiply_here)(product);
}

}  // namespace meshwright::kernels
#endif
