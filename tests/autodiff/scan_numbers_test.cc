// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/scan.h"
#include "numbers_testutil.h"

namespace meshwright::autodiff {
namespace {

using graph::ScanOptions;
using graph::ScanResult;
using graph::ScanStep;
using testing::ElementsAre;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

HostTensor numbers(const std::vector<double>& values) {
  auto size = std::ssize(values);
  return HostTensor::from(values, {size});
}

const std::vector<ScanOptions> kWays = {{},
                                        {.reverse = true},
                                        {.unroll = 2},
                                        {.reverse = true, .unroll = 2},
                                        {.unroll = 4},
                                        {.reverse = true, .unroll = 4}};

// A polynomial by Horner's rule, and its partial sums.
Values horner(Value x, Value coefficients, const ScanOptions& options) {
  auto body = [&](Args carry, Args slices) {
    Value next = carry[0] * x + slices[0];
    return ScanStep{.carry = {next}, .ys = {next}};
  };
  Value zero = graph::constant(0, f64);
  ScanResult out = graph::scan(Values{zero}, Values{coefficients}, body, options);
  return {out.carry[0], out.ys[0]};
}

TEST(ScanNumbers, RunEachStepInOrder) {
  std::vector<HostTensor> args = {HostTensor::scalar(2.0), numbers({1, 2, 3, 4})};
  for (ScanOptions options : kWays) {
    auto fn = [&](Value x, Value c) { return horner(x, c, options); };
    auto out = evaluate(fn, args);
    if (options.reverse) {
      EXPECT_THAT(out[0], ElementsAre(49.0));  // 1 + 2x + 3x^2 + 4x^3
      EXPECT_THAT(out[1], ElementsAre(49.0, 24.0, 11.0, 4.0));
    } else {
      EXPECT_THAT(out[0], ElementsAre(26.0));
      EXPECT_THAT(out[1], ElementsAre(1.0, 4.0, 11.0, 26.0));
    }
  }
}

TEST(ScanNumbers, GradientsAreThoseOfTheDifferences) {
  for (ScanOptions options : kWays) {
    auto fn = [&](Value x, Value c) { return horner(x, c, options); };
    EXPECT_EQ(gradient_error(fn, {HostTensor::scalar(0.7), sample({4})}, {.order = 2}), "");
  }
}

// A recurrent cell with weights from outside, integers, an unused result and a part of the carry
// without gradient.
Values recurrent(Value x, Value w, Value h) {
  auto body = [&](Args carry, Args slices) {
    Value mixed = dot_general(carry[0], exp(w), {{}, {}, {0}, {0}});
    Value next = tanh(mixed + slices[0]) + carry[0] * cast(carry[1], f64);
    return ScanStep{.carry = {next, carry[1] + 1, carry[2] + stop_gradient(next)},
                    .ys = {sin(next), next, cast(next, s32)}};
  };
  Value count = graph::constant(0, s32);
  ScanResult out = graph::scan(Values{h, count, h}, Values{x}, body);
  return {out.carry[0], out.ys[0]};
}

TEST(ScanNumbers, ReachWeightsFromOutside) {
  EXPECT_EQ(
      gradient_error(recurrent, {sample({3, 2}), sample({2, 2}, 1), sample({2}, 2)}, {.order = 2}),
      "");
}

TEST(ScanNumbers, OfACarryThatEachStepReplaces) {
  // Only the first step uses `init`.
  auto fn = [](Value init, Value xs) {
    auto body = [](Args carry, Args slices) {
      return ScanStep{.carry = {graph::constant(0.5, f64)}, .ys = {carry[0] * slices[0]}};
    };
    ScanResult out = graph::scan(Values{init}, Values{xs}, body);
    return out.ys;
  };
  EXPECT_EQ(gradient_error(fn, {HostTensor::scalar(0.7), sample({3})}), "");
}

TEST(ScanNumbers, WithoutXsOrWithoutCarry) {
  auto powers = [](Value x) {
    auto body = [&](Args carry, Args) { return ScanStep{.carry = {carry[0] * x}, .ys = {}}; };
    return graph::scan(Values{x}, {}, body, {.length = 3}).carry[0];
  };
  EXPECT_EQ(gradient_error(powers, {sample({2})}, {.order = 2}), "");
  auto each = [](Value x) {
    auto body = [](Args, Args slices) { return ScanStep{.carry = {}, .ys = {exp(slices[0])}}; };
    return graph::scan({}, Values{x}, body).ys[0];
  };
  EXPECT_EQ(gradient_error(each, {sample({3, 2})}, {.order = 2}), "");
}

TEST(ScanNumbers, OfNoStepsIsTheStart) {
  auto fn = [](Value x, Value xs) {
    auto body = [](Args carry, Args slices) {
      return ScanStep{.carry = {carry[0] * slices[0]}, .ys = {carry[0]}};
    };
    return grad([&](Value v) { return graph::scan(Values{v}, Values{xs}, body).carry[0]; }, x);
  };
  HostTensor empty(ArrayType{f64, {0}});
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(3.0), empty})[0], ElementsAre(1.0));
}

TEST(ScanNumbers, Nest) {
  auto fn = [](Value x, Value w) {
    auto outer = [&](Args carry, Args rows) {
      auto inner = [&](Args c, Args element) {
        Value next = sin(c[0] * w) + element[0];
        return ScanStep{.carry = {next}, .ys = {next * c[0]}};
      };
      ScanResult row = graph::scan(carry, rows, inner);
      return ScanStep{.carry = row.carry, .ys = row.ys};
    };
    ScanResult out = graph::scan(Values{w}, Values{x}, outer);
    return Values{out.carry[0], out.ys[0]};
  };
  EXPECT_EQ(gradient_error(fn, {sample({2, 3}), HostTensor::scalar(0.8)}, {.order = 2}), "");
}

Value scanned_remat(Value x, Value w, std::int64_t unroll) {
  auto body = [&](Args carry, Args slices) {
    auto layer = [&](Args in) { return Values{tanh(save(in[0] * w) + sin(in[1]))}; };
    Values next = graph::remat(Values{carry[0], slices[0]}, layer, graph::keep_saved());
    return ScanStep{.carry = next, .ys = next};
  };
  return graph::scan(Values{w}, Values{x}, body, {.unroll = unroll}).ys[0];
}

TEST(ScanNumbers, WithRematInTheBody) {
  for (std::int64_t unroll : {1, 3}) {
    auto fn = [&](Value x, Value w) { return scanned_remat(x, w, unroll); };
    EXPECT_EQ(gradient_error(fn, {sample({3, 2}), sample({2}, 1)}, {.order = 2}), "");
  }
}

TEST(ScanNumbers, InsideRemat) {
  auto fn = [](Value x, Value w) {
    auto body = [](Args in) {
      auto step = [&](Args carry, Args slices) {
        Value next = sin(carry[0] * slices[0]);
        return ScanStep{.carry = {next}, .ys = {next}};
      };
      ScanResult out = graph::scan(Values{in[1]}, Values{in[0]}, step);
      return Values{out.carry[0], out.ys[0]};
    };
    return graph::remat(Values{x, w}, body);
  };
  EXPECT_EQ(gradient_error(fn, {sample({3, 2}), sample({2}, 1)}, {.order = 2}), "");
}

}  // namespace
}  // namespace meshwright::autodiff
