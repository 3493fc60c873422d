// SPDX-License-Identifier: Apache-2.0
// Branches and loops in manual regions with different decisions per device: gradients must neither
// wait for devices that took another branch nor miss their contributions.
#include "meshwright/graph/ops/cond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/while.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using mesh::Mesh;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

// Applies to each number of x one of two functions of it and of w, which all devices share.
Value chosen(Value x, Value w) {
  auto small = [&](Args a) { return Values{reduce_sum(exp(a[0] * w) * w, {0})}; };
  auto large = [&](Args a) { return Values{reduce_sum(tanh(a[0]), {0})}; };
  return cond(reduce_sum(x, {0}) < 0, small, large, Values{x})[0];
}

TEST(DivergentCond, HasTheGradientsOfTheSameChoicesOnOneDevice) {
  HostTensor x = random_array({8}, 3), w = random_array({1}, 4);
  auto loss = [](Value all, Value weight) {
    auto part = [&](Args parts) {
      return Values{all_reduce(chosen(parts[0], parts[1]), {"d", "t"})};
    };
    return manual({{all, "x/d/t"}, {weight, "one"}}, {""}, part)[0];
  };
  Outcome outcome =
      run_on(kMesh, {{x, {}}, {w, {}}}, [&](Args args) { return autodiff::grad(loss, args); });

  auto by_hand = [](Value all, Value weight) {
    return reduce_sum(where(all < 0, exp(all * weight) * weight, tanh(all)), {0});
  };
  auto broadcast = [&](Value all, Value weight) {
    return by_hand(all, broadcast_to(weight, all.dims()));
  };
  Outcome expected = run_on(Mesh({{"d", 1}}), {{x, {}}, {w, {}}},
                            [&](Args args) { return autodiff::grad(broadcast, args); });
  expect_all_near(outcome.results, expected.results, 1e-5);
}

TEST(DivergentWhile, RunsAsLongAsEachDeviceNeeds) {
  HostTensor x(ArrayType{f32, {8}});
  for (std::size_t i = 0; i < 8; ++i)
    x.mutable_values<float>()[i] = static_cast<float>(i + 1);
  auto doubled = [](Args parts) {
    auto more = [](Args c) { return reduce_sum(c[0], {0}) < 10; };
    return while_loop(
        more, [](Args c) { return Values{c[0] * 2}; }, parts);
  };
  Outcome outcome = run_on(kMesh, {{x, {}}}, [&](Args args) {
    return manual({{args[0], "x/d/t"}}, {"x/d/t"}, doubled);
  });
  EXPECT_THAT(outcome.results[0].to_doubles(),
              testing::ElementsAre(16, 16, 12, 16, 10, 12, 14, 16));
}

}  // namespace
}  // namespace meshwright::spmd
