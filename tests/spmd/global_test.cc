// SPDX-License-Identifier: Apache-2.0
// global_sum and global_mean give one number, for any sharding of the batch.
#include "meshwright/graph/sharding/global.h"

#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/sharding/process_axes.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using mesh::Mesh;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

const Mesh kProcesses({{"host", 1, mesh::AxisKind::process}, {"d", 8}});

// Weights of 0, 1 and more, with different totals per device.
HostTensor weights() {
  std::vector<float> values(32);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i < 9 ? 0.0F : static_cast<float>(i % 3);
  return HostTensor::from(values, {8, 4});
}

// Returns sum, mean, weighted mean and the gradients of the weighted mean.
Values reductions(Args args) {
  auto mean = [](Args a) { return global_mean(square(a[0]), a[1]); };
  autodiff::ValueAndGrad both = autodiff::value_and_grad(mean, args);
  return {global_sum(args[0]), global_mean(args[0]), both.value, both.gradients[0],
          both.gradients[1]};
}

TEST(GlobalMean, IsTheSameOnOneDeviceOnEightAndOverProcesses) {
  HostTensor x = random_array({8, 4}, 1), w = weights();
  Outcome one = run_on({}, {{x, {}}, {w, {}}}, reductions);
  std::vector<double> a = x.to_doubles(), b = w.to_doubles();
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * a[i] * b[i];
    total += b[i];
  }
  EXPECT_NEAR(one.results[2].to_doubles()[0], sum / total, 1e-6);
  mesh::Sharding rows{{{"d"}}}, both{{{"d"}, {"t"}}}, hosts{{{"host", "d"}}};
  expect_all_near(run_on(kMesh, {{x, both}, {w, rows}}, reductions).results, one.results, 1e-5);
  auto over_processes = [&](Args args) {
    Values out = reductions(args);
    out.resize(3);
    return out;
  };
  std::vector<HostTensor> scalars(one.results.begin(), one.results.begin() + 3);
  expect_all_near(run_on(kProcesses, {{x, hosts}, {w, hosts}}, over_processes).results, scalars,
                  1e-5);
}

// A function of two shards, called in a manual region.
template <typename Reduce>
auto in_region(mesh::ShardSpec of_x, mesh::ShardSpec of_w, Reduce reduce) {
  return [=](Args a) {
    return manual({{a[0], of_x}, {a[1], of_w}}, {""},
                  [&](Args p) { return Values{reduce(p[0], p[1])}; })[0];
  };
}

TEST(GlobalMean, CountsPartsInManualRegions) {
  HostTensor x = random_array({8, 4}, 1), w = weights();
  Outcome one = run_on({}, {{x, {}}, {w, {}}}, reductions);
  auto by_hand = [](mesh::ShardSpec of_x, mesh::ShardSpec of_w) {
    return [=](Args args) {
      auto reduced = [&](auto reduce) { return in_region(of_x, of_w, reduce); };
      auto mean = reduced([](Value a, Value b) { return global_mean(square(a), b); });
      autodiff::ValueAndGrad both = autodiff::value_and_grad(autodiff::Function(mean), args);
      return Values{reduced([](Value a, Value) { return global_sum(a); })(args),
                    reduced([](Value a, Value) { return global_mean(a); })(args), both.value,
                    both.gradients[0], both.gradients[1]};
    };
  };
  std::vector<Input> inputs = {{x, {}}, {w, {}}};
  expect_all_near(run_on(kMesh, inputs, by_hand("a/d b/t", "a/d b/t")).results, one.results, 1e-5);
  expect_all_near(run_on(kMesh, inputs, by_hand("a/d/t b", "a/d/t b")).results, one.results, 1e-5);
}

TEST(GlobalMean, OfWeightsThatAreAllZeroIsZero) {
  HostTensor x = random_array({8, 4}, 1), none(ArrayType{f32, {8, 4}});
  mesh::Sharding rows{{{"d"}}};
  Outcome outcome = run_on(kMesh, {{x, rows}, {none, rows}},
                           [](Args args) { return Values{global_mean(args[0], args[1])}; });
  EXPECT_EQ(outcome.results[0].to_doubles()[0], 0);
}

// A step over a process axis: the parameter is used twice, and its gradient equals that of one
// device.
TEST(ProcessAxes, StepsAreThoseOfOneDevice) {
  HostTensor x = random_array({8, 4}, 1), w = random_array({8, 4}, 2);
  mesh::Sharding batch{{{"host", "d"}}}, cut{{{"host"}}};
  auto step = [&](const mesh::Sharding& stored) {
    return [&, stored](Args args) {
      auto loss = [&](Args p) {
        Value used = process_whole(p[0], stored);
        return global_mean(sin(args[0] * used) + used * used);
      };
      autodiff::ValueAndGrad both = autodiff::value_and_grad(loss, args.subspan(1));
      return Values{both.value, global_sum(sin(both.gradients[0]))};
    };
  };
  Outcome one = run_on({}, {{x, {}}, {w, {}}}, step({}));
  expect_all_near(run_on(kProcesses, {{x, batch}, {w, {}}}, step({})).results, one.results, 1e-5);
  expect_all_near(run_on(kProcesses, {{x, batch}, {w, cut}}, step(cut)).results, one.results, 1e-5);
}

}  // namespace
}  // namespace meshwright::spmd
