// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/norm.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/norm.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

// Vector access to a row: reads zeros and writes nothing beyond its end.
class Row {
 public:
  explicit Row(std::int64_t size)
      : whole_(size / kWidth * kWidth),
        size_(size),
        rest_(hn::FirstN(Floats(), static_cast<std::size_t>(size - whole_))) {}

  Vector load(const float* row, std::int64_t j) const {
    return j < whole_ ? hn::LoadU(Floats(), row + j) : hn::MaskedLoad(rest_, Floats(), row + j);
  }
  void store(Vector x, float* row, std::int64_t j) const {
    if (j < whole_) {
      hn::StoreU(x, Floats(), row + j);
    } else {
      hn::BlendedStore(x, rest_, Floats(), row + j);
    }
  }
  Vector inside(Vector x, std::int64_t j) const {
    return j < whole_ ? x : hn::IfThenElseZero(rest_, x);
  }
  /// Calls body(j) with the index of the first element of each vector.
  template <typename Body>
  HWY_INLINE void each(const Body& body) const {
    for (std::int64_t j = 0; j < size_; j += kWidth)
      body(j);
  }
  float mean(Vector sums) const {
    return hn::GetLane(hn::SumOfLanes(Floats(), sums)) / static_cast<float>(size_);
  }

 private:
  std::int64_t whole_, size_;
  hn::Mask<Floats> rest_;
};

struct Statistics {
  Vector mean, factor;  // (x - mean) * factor is normalized
};

HWY_INLINE Statistics statistics_of(const RowNorm& norm, const Row& row, const float* x) {
  const Floats d;
  Vector mean = hn::Zero(d);
  if (norm.centered) {
    Vector sum = hn::Zero(d);
    row.each([&](std::int64_t j) { sum = hn::Add(sum, row.load(x, j)); });
    mean = hn::Set(d, row.mean(sum));
  }
  Vector squares = hn::Zero(d);
  row.each([&](std::int64_t j) {
    const Vector distance = row.inside(hn::Sub(row.load(x, j), mean), j);
    squares = hn::MulAdd(distance, distance, squares);
  });
  return {mean, hn::Set(d, 1 / std::sqrt(row.mean(squares) + norm.epsilon))};
}

void normalize_rows_here(const RowNorm& norm, const float* x, std::int64_t rows, float* out) {
  const Row row(norm.size);
  for (std::int64_t i = 0; i < rows; ++i, x += norm.size, out += norm.size) {
    const auto [mean, factor] = statistics_of(norm, row, x);
    row.each([&, mean = mean, factor = factor](std::int64_t j) {
      const Vector scaled =
          hn::Mul(hn::Sub(row.load(x, j), mean), hn::Mul(factor, row.load(norm.scale, j)));
      row.store(norm.bias == nullptr ? scaled : hn::Add(scaled, row.load(norm.bias, j)), out, j);
    });
  }
}

HWY_INLINE void differentiate_row(const RowNorm& norm,
                                  const Row& row,
                                  const float* x,
                                  const RowNormGradients& gradients) {
  const Floats d;
  const auto [mean, factor] = statistics_of(norm, row, x);
  Vector along = hn::Zero(d), all = hn::Zero(d);
  row.each([&, mean = mean, factor = factor](std::int64_t j) {
    const Vector normalized = hn::Mul(hn::Sub(row.load(x, j), mean), factor);
    const Vector given = row.load(gradients.given, j);
    const Vector scaled = hn::Mul(given, row.load(norm.scale, j));
    along = hn::MulAdd(scaled, normalized, along);
    all = hn::Add(all, scaled);
    row.store(hn::MulAdd(given, normalized, row.load(gradients.d_scale, j)), gradients.d_scale, j);
    if (gradients.d_bias != nullptr)
      row.store(hn::Add(given, row.load(gradients.d_bias, j)), gradients.d_bias, j);
  });
  const Vector d_factor = hn::Set(d, row.mean(along));
  const Vector of_mean = norm.centered ? hn::Set(d, row.mean(all)) : hn::Zero(d);
  row.each([&, mean = mean, factor = factor](std::int64_t j) {
    const Vector normalized = hn::Mul(hn::Sub(row.load(x, j), mean), factor);
    const Vector scaled = hn::Mul(row.load(gradients.given, j), row.load(norm.scale, j));
    const Vector rest = hn::Sub(hn::NegMulAdd(d_factor, normalized, scaled), of_mean);
    row.store(hn::Mul(rest, factor), gradients.d_x, j);
  });
}

void differentiate_rows_here(const RowNorm& norm,
                             const float* x,
                             std::int64_t rows,
                             const RowNormGradients& gradients) {
  const Row row(norm.size);
  RowNormGradients at = gradients;
  for (std::int64_t i = 0; i < rows; ++i) {
    differentiate_row(norm, row, x, at);
    x += norm.size, at.given += norm.size, at.d_x += norm.size;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(normalize_rows_here);
HWY_EXPORT(differentiate_rows_here);

void normalize_rows(const RowNorm& norm, const float* x, std::int64_t rows, float* out) {
  HWY_DYNAMIC_DISPATCH(normalize_rows_here)(norm, x, rows, out);
}

void differentiate_rows(const RowNorm& norm,
                        const float* x,
                        std::int64_t rows,
                        const RowNormGradients& gradients) {
  HWY_DYNAMIC_DISPATCH(differentiate_rows_here)(norm, x, rows, gradients);
}

}  // namespace meshwright::kernels
#endif
