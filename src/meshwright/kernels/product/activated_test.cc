// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/product/activated.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/kernels/product/matrix_product.h"
#include "meshwright/kernels/simd/activation.h"
#include "meshwright/tensor/half.h"

namespace meshwright::kernels {
namespace {

constexpr Activation kAll[] = {Activation::relu, Activation::gelu, Activation::gelu_tanh,
                               Activation::silu};

double exact(Activation kind, double x) {
  switch (kind) {
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::gelu:
      return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case Activation::gelu_tanh:
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
  }
  return x;
}

double exact_slope(Activation kind, double x) {
  const double step = 1e-5;
  return (exact(kind, x + step) - exact(kind, x - step)) / (2 * step);
}

/// From -12 to 12, and large ones.
std::vector<float> points() {
  std::vector<float> out;
  for (int i = 0; i <= 2400; ++i)
    out.push_back(static_cast<float>(i - 1200) / 100 + 0.003f);
  for (float x : {-1e10f, -1e4f, -100.0f, 100.0f, 1e4f, 1e10f})
    out.push_back(x);
  return out;
}

ActivatedRows<float> one_row(const std::vector<float>& x, std::vector<float>& out) {
  return {.rows = 1, .columns = std::ssize(x), .x = x.data(), .out = out.data()};
}

TEST(Activate, IsTheFunction) {
  const std::vector<float> x = points();
  std::vector<float> out(x.size());
  for (Activation kind : kAll) {
    activate(kind, one_row(x, out));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(out[i], exact(kind, x[i]), 1e-7 + 4e-7 * std::abs(exact(kind, x[i])))
          << static_cast<int>(kind) << " of " << x[i];
  }
}

TEST(Activate, KeepsWhatIsNotANumber) {
  std::vector<float> x(3, std::nanf("")), out(3);
  for (Activation kind : kAll) {
    activate(kind, one_row(x, out));
    EXPECT_TRUE(std::isnan(out[0])) << static_cast<int>(kind);
  }
}

TEST(DifferentiateActivation, HasSlopesOfZeroAndOneFarAway) {
  for (Activation kind : kAll) {
    for (float size : {1e3f, 1e10f, 1e15f}) {
      const std::vector<float> x = {-size, size, std::nanf("")};
      std::vector<float> gradient = {1, 1, 1}, activated(3);
      differentiate_activation(kind, DifferentiatedRows<float>{.rows = 1,
                                                               .columns = 3,
                                                               .x = x.data(),
                                                               .gradient = gradient.data(),
                                                               .activated = activated.data()});
      EXPECT_EQ(gradient[0], 0) << static_cast<int>(kind) << " " << size;
      EXPECT_EQ(gradient[1], 1) << static_cast<int>(kind) << " " << size;
      EXPECT_EQ(std::abs(activated[0]), 0) << static_cast<int>(kind) << " " << size;
      EXPECT_EQ(activated[1], size);
      EXPECT_TRUE(std::isnan(activated[2]));
    }
  }
}

TEST(DifferentiateActivation, GivesSlopesAndGradientsOfFactors) {
  const std::vector<float> x = points();
  std::vector<float> factor(x.size()), given(x.size()), activated(x.size()), d_factor(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    factor[i] = static_cast<float>(i % 5) - 1, given[i] = static_cast<float>(i % 3) - 0.5f;
  for (Activation kind : kAll) {
    std::vector<float> d_x = given;
    differentiate_activation(kind, DifferentiatedRows<float>{.rows = 1,
                                                             .columns = std::ssize(x),
                                                             .x = x.data(),
                                                             .factor = factor.data(),
                                                             .gradient = d_x.data(),
                                                             .activated = activated.data(),
                                                             .d_factor = d_factor.data()});
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::abs(x[i]) > 1e3f) continue;  // steps of f64 are no small ones there
      const double slope = given[i] * factor[i] * exact_slope(kind, x[i]);
      ASSERT_NEAR(d_x[i], slope, 3e-6 * (1 + std::abs(slope))) << x[i];
      ASSERT_NEAR(activated[i], factor[i] * exact(kind, x[i]),
                  1e-6 + 1e-6 * std::abs(exact(kind, x[i])))
          << x[i];
      ASSERT_NEAR(d_factor[i], given[i] * exact(kind, x[i]),
                  1e-6 + 1e-6 * std::abs(exact(kind, x[i])))
          << x[i];
    }
  }
}

/// Rows of numbers with room between them.
template <typename T>
struct Rows {
  std::int64_t rows, columns, step;
  std::vector<T> numbers;

  Rows(std::int64_t num_rows, std::int64_t num_columns, std::int64_t seed)
      : rows(num_rows), columns(num_columns), step(num_columns + 5) {
    for (std::int64_t i = 0; i < rows * step; ++i)
      numbers.push_back(i % step < columns
                            ? T(static_cast<float>((i * 37 + seed * 11) % 101 - 50) / 16)
                            : T(std::numeric_limits<float>::quiet_NaN()));
  }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(numbers.data()); }
  std::byte* data() { return reinterpret_cast<std::byte*>(numbers.data()); }
  float at(std::int64_t i, std::int64_t j) const {
    return static_cast<float>(numbers[static_cast<std::size_t>(i * step + j)]);
  }
};

template <typename T>
void expect_activated_before_it_is_multiplied(std::int64_t lines, std::int64_t inner) {
  const Rows<T> x(lines, inner, 1), factor(lines, inner, 2);
  const DType dtype = dtype_of<T>();
  // Multiplied with the unit matrix it is what it was.
  std::vector<float> unit(static_cast<std::size_t>(inner * inner));
  for (std::int64_t l = 0; l < inner; ++l)
    unit[static_cast<std::size_t>(l * inner + l)] = 1;
  std::vector<T> out(static_cast<std::size_t>(lines * inner));
  for (bool has_factor : {true, false}) {
    multiply_matrices({.rows = lines,
                       .columns = inner,
                       .inner = inner,
                       .a = {{x.data(), dtype, true, x.step},
                             Activation::gelu_tanh,
                             has_factor ? factor.data() : nullptr},
                       .b = {reinterpret_cast<const std::byte*>(unit.data()), f32, true, inner},
                       .dtype = dtype,
                       .out_dtype = dtype,
                       .out = reinterpret_cast<std::byte*>(out.data())},
                      nullptr);
    for (std::int64_t i = 0; i < lines; ++i) {
      for (std::int64_t l = 0; l < inner; ++l) {
        const double expected =
            exact(Activation::gelu_tanh, x.at(i, l)) * (has_factor ? factor.at(i, l) : 1);
        ASSERT_NEAR(static_cast<float>(out[static_cast<std::size_t>(i * inner + l)]), expected,
                    (dtype == f32 ? 1e-6 : 0.004) * (1 + std::abs(expected)))
            << i << " " << l;
      }
    }
  }
}

TEST(MaybeActivated, IsActivatedBeforeItIsMultiplied) {
  for (auto [lines, inner] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {13, 37}, {70, 130}}) {
    expect_activated_before_it_is_multiplied<float>(lines, inner);
    expect_activated_before_it_is_multiplied<BFloat16>(lines, inner);
  }
}

/// Elements outside of a block of these rows are unchanged.
template <typename T>
void expect_unchanged_outside(const Rows<T>& rows, const Rows<T>& before, const Block& block) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    for (std::int64_t j = 0; j < rows.step; ++j) {
      if (i >= block.rows.begin && i < block.rows.end && j >= block.columns.begin &&
          j < block.columns.end)
        continue;
      const float now = rows.at(i, j), then = before.at(i, j);
      ASSERT_TRUE(now == then || (std::isnan(now) && std::isnan(then))) << i << " " << j;
    }
  }
}

template <typename T>
void expect_differentiated(std::int64_t rows, std::int64_t columns, bool has_factor) {
  const Rows<T> x(rows, columns, 1), factor(rows, columns, 2), given(rows, columns, 3);
  Rows<T> out = given, activated = given, d_factor = given;
  const Block block{{1, rows - 1}, {2, columns - 1}, x.step};
  differentiate({Activation::silu, x.data(), has_factor ? factor.data() : nullptr, activated.data(),
                 has_factor ? d_factor.data() : nullptr},
                block, dtype_of<T>(), out.data());
  const double tolerance = dtype_of<T>() == f32 ? 2e-6 : 0.004;
  const auto expect_near = [&](double actual, double expected) {
    EXPECT_NEAR(actual, expected, tolerance * (1 + std::abs(expected)));
  };
  for (std::int64_t i = block.rows.begin; i < block.rows.end; ++i) {
    for (std::int64_t j = block.columns.begin; j < block.columns.end; ++j) {
      const double times = has_factor ? factor.at(i, j) : 1;
      expect_near(out.at(i, j), given.at(i, j) * exact_slope(Activation::silu, x.at(i, j)) * times);
      expect_near(activated.at(i, j), exact(Activation::silu, x.at(i, j)) * times);
      if (has_factor)
        expect_near(d_factor.at(i, j), given.at(i, j) * exact(Activation::silu, x.at(i, j)));
    }
  }
  for (const Rows<T>* changed : {&out, &activated, &d_factor})
    expect_unchanged_outside(*changed, given, block);
}

TEST(Differentiate, ChangesItsBlockAlone) {
  for (bool has_factor : {false, true}) {
    for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{3, 4}, {50, 103}}) {
      expect_differentiated<float>(rows, columns, has_factor);
      expect_differentiated<BFloat16>(rows, columns, has_factor);
    }
  }
}

}  // namespace
}  // namespace meshwright::kernels
