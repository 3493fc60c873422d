// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/all_ops.h"
#include "numbers_testutil.h"

namespace meshwright::autodiff {
namespace {

using graph::cond;
using graph::ScanStep;
using graph::switch_case;
using testing::ElementsAre;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

// Branches that save different values, share w from outside, and have their own arguments.
Values choose(Value predicate, Value x, Value y, Value w) {
  return cond(
      predicate,
      [&](Args a) {
        return Values{sin(a[0]) * w, exp(a[0])};
      },
      [&](Args a) {
        Value t = tanh(a[1] * y);
        return Values{t * t + w, a[0] * y};
      },
      Values{x, y});
}

TEST(CondNumbers, RunsTheBranchThatIsAskedFor) {
  auto fn = [](Value p, Value x) {
    return cond(
        p, [](Args a) { return Values{a[0] + 1}; }, [&](Args) { return Values{x * 10}; },
        Values{x});
  };
  HostTensor two = HostTensor::scalar(2.0);
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(true), two})[0], ElementsAre(3.0));
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(false), two})[0], ElementsAre(20.0));
}

TEST(CondNumbers, BothBranchesHaveTheGradientsThatDifferencesGive) {
  for (bool which : {true, false}) {
    EXPECT_EQ(gradient_error(
                  choose, {HostTensor::scalar(which), sample({3}), sample({3}, 1), sample({3}, 2)},
                  {.order = 2}),
              "");
  }
}

TEST(CondNumbers, MayDependOnWhatIsDifferentiated) {
  auto fn = [](Value x, Value y) { return choose(sum_all(x) < 0, x, y, x); };
  EXPECT_EQ(gradient_error(fn, {sample({3}), sample({3}, 1)}, {.order = 2}), "");
}

TEST(CondNumbers, InsideAScan) {
  auto fn = [](Value x, Value w) {
    auto body = [&](Args carry, Args slices) {
      Value next = cond(
          slices[0] < 0, [&](Args a) { return Values{sin(a[0] * w)}; },
          [&](Args a) { return Values{a[0] * exp(slices[0]) + w}; }, carry)[0];
      return ScanStep{.carry = {next}, .ys = {next * next}};
    };
    graph::ScanResult out = graph::scan(Values{w}, Values{x}, body);
    return Values{out.carry[0], out.ys[0]};
  };
  EXPECT_EQ(gradient_error(fn, {sample({6}), HostTensor::scalar(0.8)}, {.order = 2}), "");
}

TEST(CondNumbers, AroundAScanAndInsideRemat) {
  auto fn = [](Value p, Value x, Value w) {
    auto body = [&](Args in) {
      auto step = [&](Args carry, Args slices) {
        Value next = sin(carry[0] * slices[0]);
        return ScanStep{.carry = {next}, .ys = {next}};
      };
      auto loop = [&](Args a) { return graph::scan(Values{a[1]}, Values{a[0]}, step).ys; };
      return cond(
          p, loop, [](Args a) { return Values{a[0] * exp(a[1])}; }, in);
    };
    return graph::remat(Values{x, w}, body);
  };
  for (bool which : {true, false}) {
    std::vector<HostTensor> args = {HostTensor::scalar(which), sample({3, 2}), sample({2}, 1)};
    EXPECT_EQ(gradient_error(fn, args, {.order = 2}), "");
  }
}

TEST(CondNumbers, Nest) {
  auto fn = [](Value p, Value q, Value x) {
    auto inner = [&](Args a) {
      return cond(
          q, [&](Args) { return Values{sin(a[0]) * x}; },
          [&](Args) { return Values{exp(a[0] * x)}; });
    };
    return cond(
        p, inner, [](Args a) { return Values{a[0] * a[0] * a[0]}; }, Values{x});
  };
  for (bool p : {true, false}) {
    for (bool q : {true, false}) {
      std::vector<HostTensor> args = {HostTensor::scalar(p), HostTensor::scalar(q), sample({3})};
      EXPECT_EQ(gradient_error(fn, args, {.order = 2}), "");
    }
  }
}

Values one_of_three(Value index, Value x, Value w) {
  return switch_case(index,
                     {[&](Args a) { return Values{sin(a[0]) * w}; },
                      [&](Args a) { return Values{graph::stop_gradient(a[0])}; },
                      [&](Args a) { return Values{tanh(exp(a[0]) * x)}; }},
                     Values{x});
}

TEST(SwitchNumbers, EveryBranchHasTheGradientThatDifferencesGive) {
  for (std::int32_t index : {0, 2}) {
    EXPECT_EQ(
        gradient_error(one_of_three, {HostTensor::scalar(index), sample({2, 3}), sample({2, 3}, 1)},
                       {.order = 2}),
        "");
  }
  auto gradient = [](Value index, Value x, Value w) {
    return grad([&](Value v) { return sum_all(one_of_three(index, v, w)[0]); }, x);
  };
  auto out = evaluate(gradient, {HostTensor::scalar(std::int32_t{1}), sample({2}), sample({2}, 1)});
  EXPECT_THAT(out[0], ElementsAre(0.0, 0.0));
}

TEST(SwitchNumbers, TheIndexIsClamped) {
  auto fn = [](Value index) {
    std::vector<graph::Tracer::Body> branches;
    for (int i = 0; i < 3; ++i)
      branches.emplace_back([i](Args) { return Values{graph::constant(i * 10, f64)}; });
    return switch_case(index, branches);
  };
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(std::int32_t{-7})})[0], ElementsAre(0.0));
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(std::int32_t{1})})[0], ElementsAre(10.0));
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(std::int32_t{9})})[0], ElementsAre(20.0));
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(std::uint32_t{4000000000})})[0], ElementsAre(20.0));
  EXPECT_THAT(evaluate(fn, {HostTensor::scalar(std::int8_t{-128})})[0], ElementsAre(0.0));
}

TEST(WhileNumbers, RunsWhileTheConditionHolds) {
  // The greatest power of `base` times x that is at most `limit`, and the number of steps.
  auto fn = [](Value x, Value base, Value limit) {
    return graph::while_loop([&](Args c) { return c[0] * base <= limit; },
                             [&](Args c) {
                               return Values{c[0] * base, c[1] + 1};
                             },
                             Values{x, graph::constant(0, s32)});
  };
  HostTensor two = HostTensor::scalar(2.0);
  auto out = evaluate(fn, {HostTensor::scalar(3.0), two, HostTensor::scalar(50.0)});
  EXPECT_THAT(out, ElementsAre(ElementsAre(48.0), ElementsAre(4.0)));
  out = evaluate(fn, {HostTensor::scalar(3.0), two, HostTensor::scalar(5.0)});
  EXPECT_THAT(out, ElementsAre(ElementsAre(3.0), ElementsAre(0.0)));
}

TEST(WhileNumbers, StandsBesideWhatIsDifferentiated) {
  auto fn = [](Value x) {
    Value steps =
        graph::while_loop([&](Args c) { return c[0] < 7; }, [](Args c) { return Values{c[0] + 3}; },
                          Values{graph::constant(0, s32)})[0];
    return sin(x) * cast(steps, f64);
  };
  EXPECT_EQ(gradient_error(fn, {sample({3})}, {.order = 2}), "");
}

}  // namespace
}  // namespace meshwright::autodiff
