// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/activation.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/elements-inl.h"
#include "meshwright/kernels/simd/exp-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE Vector constant(float number) {
  return hn::Set(Floats(), number);
}

struct Point {
  Vector value, slope;
};

struct Relu {
  static HWY_INLINE Vector value(Vector x) {
    return hn::IfThenZeroElse(hn::Le(x, hn::Zero(Floats())), x);  // NaN stays
  }
  static HWY_INLINE Point point(Vector x) {
    const auto is_off = hn::Le(x, hn::Zero(Floats()));
    return {hn::IfThenZeroElse(is_off, x), hn::IfThenZeroElse(is_off, constant(1))};
  }
};

/// Returns 1 / x. x must be finite and not close to overflow.
HWY_INLINE Vector reciprocal(Vector x) {
#if HWY_TARGET <= HWY_AVX3
  // One Newton step refines the 14-bit approximation to f32 precision, faster than a division.
  const Vector about = hn::ApproximateReciprocal(x);
  return hn::Mul(about, hn::NegMulAdd(x, about, constant(2)));
#else
  return hn::Div(constant(1), x);
#endif
}

HWY_INLINE Vector logistic(Vector x) {
  const Vector power = exp_up_to_88(hn::Min(hn::Neg(x), constant(85)));
  const Vector value = reciprocal(hn::Add(constant(1), power));
  return hn::IfThenZeroElse(hn::Lt(x, constant(-85)), value);
}

struct Silu {
  static HWY_INLINE Vector value(Vector x) { return hn::Mul(x, logistic(x)); }
  static HWY_INLINE Point point(Vector x) {
    const Vector gate = logistic(x), value = hn::Mul(x, gate);
    return {value, hn::MulAdd(value, hn::Sub(constant(1), gate), gate)};
  }
};

/// The tanh approximation, since 1 + tanh(y) = 2 logistic(2 y).
struct GeluTanh {
  static constexpr float kScale = 1.5957691216f;  // 2 sqrt(2 / pi)
  static constexpr float kCubic = kScale * 0.044715f;

  static HWY_INLINE Vector gate(Vector x) {
    return logistic(hn::Mul(x, hn::MulAdd(hn::Mul(x, x), constant(kCubic), constant(kScale))));
  }
  static HWY_INLINE Vector value(Vector x) { return hn::Mul(x, gate(x)); }
  static HWY_INLINE Point point(Vector x) {
    const Vector g = gate(x), value = hn::Mul(x, g);
    // The slope of logistic's argument.
    const Vector slope = hn::MulAdd(hn::Mul(x, x), constant(3 * kCubic), constant(kScale));
    return {value, hn::MulAdd(hn::Mul(value, hn::Sub(constant(1), g)), slope, g)};
  }
};

/// Exact GELU: x times the standard normal CDF of x.
struct Gelu {
  struct Normal {
    Vector below, power;  // the CDF, exp(-x^2 / 2)
  };
  static HWY_INLINE Normal normal(Vector x) {
    const Floats d;
    // erfc(z) = exp(-z^2) t p(t) for t = 1 / (1 + 0.3 z), with p fitted for z in [0, 10] to a
    // relative error of at most 2e-8. The coefficients below are halved.
    constexpr float kFit[] = {0.08459400415f,  0.08535758715f, 0.0741697752f,
                              0.1074622768f,   -0.047323574f,  0.2738573937f,
                              -0.25613672885f, 0.2427804739f,  -0.06476121785f};
    const Vector size = hn::Min(hn::Abs(x), constant(20));  // the tail underflows to 0
    const Vector t = reciprocal(hn::MulAdd(size, constant(0.2121320344f), constant(1)));
    Vector fit = constant(kFit[8]);
    for (int i = 7; i >= 0; --i)
      fit = hn::MulAdd(fit, t, constant(kFit[i]));
    const Vector power = exp_up_to_88(hn::Mul(hn::Mul(size, size), constant(-0.5f)));
    const Vector tail = hn::Mul(power, hn::Mul(t, fit));
    return {hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(constant(1), tail)), power};
  }
  static HWY_INLINE Vector value(Vector x) { return hn::Mul(x, normal(x).below); }
  static HWY_INLINE Point point(Vector x) {
    constexpr float kDensity = 0.3989422804f;  // 1 / sqrt(2 pi)
    const auto [below, power] = normal(x);
    return {hn::Mul(x, below), hn::MulAdd(hn::Mul(x, constant(kDensity)), power, below)};
  }
};

template <class Function, typename T>
void activate_by(const ActivatedRows<T>& rows) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::ptrdiff_t row = i * rows.step;
    for (std::int64_t j = 0; j < rows.columns; j += kWidth) {
      const std::int64_t size = rows.columns - j;
      Vector value = Function::value(load_some(rows.x + row + j, size));
      if (rows.factor != nullptr) value = hn::Mul(value, load_some(rows.factor + row + j, size));
      store_some(value, rows.out + i * rows.out_step + j, size);
    }
  }
}

template <class Function, typename T>
void differentiate_by(const DifferentiatedRows<T>& rows) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    for (std::int64_t j = 0; j < rows.columns; j += kWidth) {
      const std::int64_t size = rows.columns - j;
      const std::ptrdiff_t at = i * rows.step + j;
      const auto [value, slope] = Function::point(load_some(rows.x + at, size));
      const Vector given = load_some(rows.gradient + at, size);
      Vector d_x = hn::Mul(given, slope), activated = value;
      if (rows.factor != nullptr) {
        const Vector factor = load_some(rows.factor + at, size);
        d_x = hn::Mul(d_x, factor);
        activated = hn::Mul(activated, factor);
        store_some(hn::Mul(given, value), rows.d_factor + at, size);
      }
      store_some(activated, rows.activated + at, size);
      store_some(d_x, rows.gradient + at, size);
    }
  }
}

/// Calls body(Function()) with the function of `kind`.
template <typename Body>
HWY_INLINE void by_kind(Activation kind, const Body& body) {
  switch (kind) {
    case Activation::relu:
      return body(Relu());
    case Activation::gelu:
      return body(Gelu());
    case Activation::gelu_tanh:
      return body(GeluTanh());
    case Activation::silu:
      return body(Silu());
  }
}

void activate_floats_here(Activation kind, const ActivatedRows<float>& rows) {
  by_kind(kind, [&](auto function) { activate_by<decltype(function)>(rows); });
}
void activate_halves_here(Activation kind, const ActivatedRows<BFloat16>& rows) {
  by_kind(kind, [&](auto function) { activate_by<decltype(function)>(rows); });
}

void differentiate_floats_here(Activation kind, const DifferentiatedRows<float>& rows) {
  by_kind(kind, [&](auto function) { differentiate_by<decltype(function)>(rows); });
}
void differentiate_halves_here(Activation kind, const DifferentiatedRows<BFloat16>& rows) {
  by_kind(kind, [&](auto function) { differentiate_by<decltype(function)>(rows); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(activate_floats_here);
HWY_EXPORT(activate_halves_here);
HWY_EXPORT(differentiate_floats_here);
HWY_EXPORT(differentiate_halves_here);

void activate(Activation kind, const ActivatedRows<float>& rows) {
  HWY_DYNAMIC_DISPATCH(activate_floats_here)(kind, rows);
}
void activate(Activation kind, const ActivatedRows<BFloat16>& rows) {
  HWY_DYNAMIC_DISPATCH(activate_halves_here)(kind, rows);
}

void differentiate_activation(Activation kind, const DifferentiatedRows<float>& rows) {
  HWY_DYNAMIC_DISPATCH(differentiate_floats_here)(kind, rows);
}
void differentiate_activation(Activation kind, const DifferentiatedRows<BFloat16>& rows) {
  HWY_DYNAMIC_DISPATCH(differentiate_halves_here)(kind, rows);
}

}  // namespace meshwright::kernels
#endif
