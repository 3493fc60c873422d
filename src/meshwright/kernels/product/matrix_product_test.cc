// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/product/matrix_product.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/tensor/half.h"

namespace meshwright::kernels {
namespace {

/// lines x inner numbers of either dtype, lying either way, with room around that holds NaN.
struct Factor {
  std::int64_t lines, inner;
  DType dtype;
  bool is_inner_dense;
  std::vector<float> floats;
  std::vector<BFloat16> halves;

  Factor(std::int64_t num_lines, std::int64_t size, DType type, bool dense)
      : lines(num_lines), inner(size), dtype(type), is_inner_dense(dense) {
    const auto num = static_cast<std::size_t>(2 + (dense ? lines : inner) * step());
    floats.assign(num, std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t i = 0; i < lines; ++i)
      for (std::int64_t l = 0; l < inner; ++l)
        floats[at(i, l)] = static_cast<float>((i * 7 + l * 3) % 11 - 5) / 8;
    for (float number : floats)
      halves.emplace_back(number);
  }
  std::int64_t step() const { return (is_inner_dense ? inner : lines) + 3; }
  std::size_t at(std::int64_t line, std::int64_t l) const {
    return static_cast<std::size_t>(is_inner_dense ? line * step() + l : l * step() + line);
  }
  Lines view() const {
    const void* data = floats.data();
    if (dtype == bf16) data = halves.data();
    return {static_cast<const std::byte*>(data), dtype, is_inner_dense, step()};
  }
};

/// Into bf16: as into f32, and then rounded.
void expect_rounded(MatrixProduct product, std::span<const float> exact) {
  std::vector<BFloat16> out(exact.size(), BFloat16(0.0f));
  product.out_dtype = bf16;
  product.out = reinterpret_cast<std::byte*>(out.data());
  multiply_matrices(product, nullptr);
  for (std::size_t i = 0; i < exact.size(); ++i)
    ASSERT_EQ(out[i].bits, BFloat16(exact[i]).bits) << i;
}

void expect_product(const Factor& a, const Factor& b, DType dtype) {
  SCOPED_TRACE(testing::Message() << a.lines << "x" << a.inner << "x" << b.lines << " "
                                  << a.is_inner_dense << b.is_inner_dense << " as "
                                  << static_cast<int>(dtype));
  std::vector<float> out(static_cast<std::size_t>(a.lines * b.lines)), bias, sums;
  for (std::int64_t j = 0; j < b.lines; ++j)
    bias.push_back(static_cast<float>(j % 5));
  sums.resize(bias.size());
  const MatrixProduct product{.rows = a.lines,
                              .columns = b.lines,
                              .inner = a.inner,
                              .a = {a.view()},
                              .b = b.view(),
                              .dtype = dtype,
                              .out = reinterpret_cast<std::byte*>(out.data()),
                              .bias = reinterpret_cast<const std::byte*>(bias.data()),
                              .b_sums = sums.data()};
  multiply_matrices(product, nullptr);
  expect_rounded(product, out);
  // All numbers and sums are exact.
  for (std::int64_t j = 0; j < b.lines; ++j) {
    double sum = 0;
    for (std::int64_t l = 0; l < b.inner; ++l)
      sum += b.floats[b.at(j, l)];
    ASSERT_EQ(sums[static_cast<std::size_t>(j)], sum) << j;
    for (std::int64_t i = 0; i < a.lines; ++i) {
      double expected = bias[static_cast<std::size_t>(j)];
      for (std::int64_t l = 0; l < a.inner; ++l)
        expected += a.floats[a.at(i, l)] * b.floats[b.at(j, l)];
      ASSERT_EQ(out[static_cast<std::size_t>(i * b.lines + j)], expected) << i << " " << j;
    }
  }
}

struct Sizes {
  std::int64_t rows, inner, columns;
};

void expect_products(const Sizes& s, DType a, DType b, DType dtype) {
  for (bool a_dense : {false, true})
    for (bool b_dense : {false, true})
      expect_product({s.rows, s.inner, a, a_dense}, {s.columns, s.inner, b, b_dense}, dtype);
}

TEST(MatrixProduct, IsExactInAnySizeAndLayout) {
  for (const Sizes& s : {Sizes{1, 1, 1}, Sizes{12, 16, 32}, Sizes{13, 17, 33}, Sizes{5, 0, 3},
                         Sizes{100, 31, 200}, Sizes{25, 2300, 40}, Sizes{7, 3, 1100}}) {
    expect_products(s, f32, f32, f32);
    expect_products(s, bf16, bf16, bf16);
    expect_products(s, bf16, f32, bf16);
    expect_products(s, f32, bf16, bf16);
  }
}

std::vector<float> some_numbers(std::int64_t count, float scale) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<float>((i * 29) % 61 - 30) * scale);
  return out;
}

std::vector<BFloat16> rounded(std::span<const float> numbers) {
  return {numbers.begin(), numbers.end()};
}

template <typename T>
std::byte* bytes(std::vector<T>& numbers) {
  return reinterpret_cast<std::byte*>(numbers.data());
}

TEST(MatrixProduct, AddsWhatItIsGiven) {
  for (const Sizes& s : {Sizes{1, 1, 1}, Sizes{13, 17, 33}, Sizes{25, 2300, 40}}) {
    const Factor a{s.rows, s.inner, f32, true}, b{s.columns, s.inner, f32, true};
    std::vector<float> addend = some_numbers(s.rows * s.columns, 0.125f);
    std::vector<float> plain(addend.size()), sums(addend.size());
    MatrixProduct product{.rows = s.rows,
                          .columns = s.columns,
                          .inner = s.inner,
                          .a = {a.view()},
                          .b = b.view(),
                          .out = bytes(plain)};
    for (DType dtype : {f32, bf16}) {
      product.dtype = dtype;
      product.addend = nullptr, product.out = bytes(plain);
      multiply_matrices(product, nullptr);
      product.addend = bytes(addend), product.out = bytes(sums);
      multiply_matrices(product, nullptr);
      for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_EQ(sums[i], plain[i] + addend[i]) << i;
      std::vector<BFloat16> halves = rounded(addend), out(sums.size());
      MatrixProduct of_halves = product;
      of_halves.out_dtype = bf16, of_halves.addend = bytes(halves), of_halves.out = bytes(out);
      multiply_matrices(of_halves, nullptr);
      for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_EQ(out[i].bits, BFloat16(plain[i] + static_cast<float>(halves[i])).bits) << i;
    }
  }
}

TEST(MatrixProduct, RoundsResultsToNearestEven) {
  // Halfway between two bf16, and beyond the largest.
  const std::vector<float> a = {1.0f + 1.0f / 256, 1.0f + 3.0f / 256, 3.4e38f, 1.0f / 0.0f};
  const std::vector<float> one = {1.0f};
  std::vector<BFloat16> out(4, BFloat16(0.0f));
  multiply_matrices({.rows = 4,
                     .columns = 1,
                     .inner = 1,
                     .a = {{reinterpret_cast<const std::byte*>(a.data()), f32, true, 1}},
                     .b = {reinterpret_cast<const std::byte*>(one.data()), f32, true, 1},
                     .out_dtype = bf16,
                     .out = reinterpret_cast<std::byte*>(out.data())},
                    nullptr);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(static_cast<float>(out[i]), static_cast<float>(BFloat16(a[i]))) << i;
}

TEST(MatrixProduct, KeepsWhatIsNotANumber) {
  for (DType dtype : {f32, bf16}) {
    const std::vector<float> a = {std::nanf("1"), -std::nanf("0x3fffff")}, one = {1.0f};
    std::vector<BFloat16> out(2, BFloat16(0.0f));
    multiply_matrices({.rows = 2,
                       .columns = 1,
                       .inner = 1,
                       .a = {{reinterpret_cast<const std::byte*>(a.data()), f32, true, 1}},
                       .b = {reinterpret_cast<const std::byte*>(one.data()), f32, true, 1},
                       .dtype = dtype,
                       .out_dtype = bf16,
                       .out = reinterpret_cast<std::byte*>(out.data())},
                      nullptr);
    EXPECT_TRUE(std::isnan(static_cast<float>(out[0])) && std::isnan(static_cast<float>(out[1])));
  }
}

}  // namespace
}  // namespace meshwright::kernels
