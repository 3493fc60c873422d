// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/check_grad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "numbers_testutil.h"

namespace meshwright::autodiff {
namespace {

using testing::HasSubstr;

TEST(CheckGrad, AcceptsARightGradientOfBothOrders) {
  auto fn = [](Value x, Value y) { return std::vector{sin(x) * y, exp(x * 0.5)}; };
  EXPECT_EQ(gradient_error(fn, {sample({2, 3}), sample({3}, 1)}, {.order = 2}), "");
}

TEST(CheckGrad, LeavesIntegerArgumentsAlone) {
  auto fn = [](Value x, Value n) { return sin(x) * cast(n, f64); };
  EXPECT_EQ(gradient_error(fn, {sample({3}), HostTensor::from<std::int32_t>({1, 2, 3}, {3})}), "");
}

TEST(CheckGrad, FindsAMissingTerm) {
  auto fn = [](Value x) { return x * stop_gradient(x); };
  EXPECT_THAT(gradient_error(fn, {sample({3})}), HasSubstr("but differences give"));
}

TEST(CheckGrad, NamesTheElement) {
  // Directional derivatives do not depend on an element whose cotangent is multiplied by zero in
  // all but one place.
  auto fn = [](Value x) { return where(x > 0.5, stop_gradient(x), x); };
  EXPECT_THAT(gradient_error(fn, {HostTensor::from<double>({0.1, 0.2, 0.9, 0.3}, {4})},
                             {.num_directions = 0}),
              HasSubstr("the gradient of element 2 of argument 0, f64[4] is 0 but"));
}

TEST(CheckGrad, FindsAWrongSecondOrder) {
  // Correct value and gradient, but the gradient is a constant for second-order differentiation.
  auto fn = [](Value x) {
    Value slope = stop_gradient(cos(x));
    return stop_gradient(sin(x)) + slope * (x - stop_gradient(x));
  };
  EXPECT_EQ(
      gradient_error([&](Value x) { return grad([](Value y) { return sum_all(y * y * y); }, x); },
                     {sample({3})}),
      "");
  EXPECT_THAT(
      gradient_error([&](Value x) { return grad([&](Value y) { return sum_all(fn(y)); }, x); },
                     {sample({3})}),
      HasSubstr("but differences give"));
}

TEST(CheckGrad, WantsSomethingToCheck) {
  EXPECT_THAT(gradient_error([](Value x) { return cast(x, s32); }, {sample({3})}),
              HasSubstr("no f64 results"));
}

}  // namespace
}  // namespace meshwright::autodiff
