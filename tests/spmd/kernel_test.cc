// SPDX-License-Identifier: Apache-2.0
// Meshwright's kernels on a mesh: they compute the same numbers as plain ops, are called with
// shards, and need no additional communication.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/log.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "row_kernels.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using mesh::AxisRules;
using mesh::Mesh;
using runtime::count_ops;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Center = Value (*)(Value x, Value scale, Value bias);

const Mesh kDataMesh({{"data", 8}});
const AxisRules kRowsSplit{{"rows", {"data"}}};

std::vector<Input> inputs(std::int64_t rows = 16) {
  mesh::Sharding split = rows % 8 == 0 ? mesh::Sharding{{{"data"}}} : mesh::Sharding();
  return {
      {random_array({rows, 6}, 1), split}, {random_array({6}, 2), {}}, {random_array({6}, 3), {}}};
}

/// Returns the results of a program made with `center`. An empty `mesh` is one device.
using Use = std::function<std::vector<Value>(Center center, std::span<const Value> args)>;
Outcome run_with(Center center, const Mesh& mesh, const Use& use, const AxisRules& rules = {}) {
  return run_on(
      mesh, inputs(), [&](std::span<const Value> args) { return use(center, args); }, rules);
}

int num_gathers(const Outcome& outcome) {
  return count_ops(outcome.program, "all-gather") + count_ops(outcome.program, "all-to-all");
}

/// Expects that the program with the kernel gives on 8 devices the results of plain ops on one,
/// calls kernels `num_calls` times and communicates no more than with plain ops.
void expect_kernels(const Use& use, int num_calls, const AxisRules& rules = kRowsSplit) {
  Outcome ours = run_with(center_rows, kDataMesh, use, rules);
  Outcome plain = run_with(plain_center_rows, kDataMesh, use, rules);
  Outcome one = run_with(plain_center_rows, {}, use);
  expect_all_near(ours.results, one.results, 1e-5);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), num_calls);
  EXPECT_LE(num_gathers(ours), num_gathers(plain));
  EXPECT_LE(count_ops(ours.program, "all-reduce"), count_ops(plain.program, "all-reduce"));
  Outcome kernel_on_one = run_with(center_rows, {}, use);
  expect_all_near(kernel_on_one.results, one.results, 1e-5);
  EXPECT_EQ(count_ops(kernel_on_one.program, "custom-call"), num_calls);
}

std::vector<Value> apply(Center center, std::span<const Value> args) {
  return {center(args[0], args[1], args[2])};
}

Value loss(Center center, std::span<const Value> args) {
  Value y = center(args[0], args[1], args[2]);
  return graph::reduce_sum(y * y * y, {0, 1});
}

std::vector<Value> gradients(Center center, std::span<const Value> args) {
  return autodiff::grad([&](std::span<const Value> in) { return loss(center, in); }, args);
}

std::vector<Value> second_gradients(Center center, std::span<const Value> args) {
  auto squares = [&](std::span<const Value> in) {
    Value sum;
    for (Value gradient : gradients(center, in)) {
      Value part =
          graph::reduce_sum(gradient * gradient, gradient.rank() == 1 ? Dims{0} : Dims{0, 1});
      sum = sum.is_null() ? part : sum + part;
    }
    return sum;
  };
  return autodiff::grad(squares, args);
}

TEST(KernelOnMesh, GetsTheRowsOfItsDevice) {
  expect_kernels([](auto... in) { return std::vector{loss(in...)}; }, 1);
}

TEST(KernelOnMesh, IsSplitAsItsOperandsAreKnownToLie) {
  expect_kernels([](auto... in) { return std::vector{loss(in...)}; }, 1, {});
  expect_kernels(
      [](Center center, std::span<const Value> args) {
        Value x = graph::constrain(args[0] * 2, mesh::Sharding{{{"data"}}});
        return std::vector{loss(center, std::vector{x, args[1], args[2]})};
      },
      1, {});
}

TEST(KernelOnMesh, HasAGradientKernel) {
  expect_kernels(gradients, 2);
}

TEST(KernelOnMesh, HasASecondGradientThroughTheReference) {
  expect_kernels(second_gradients, 3);  // the gradient kernel once for each order
}

TEST(KernelOnMesh, RunsInALoop) {
  expect_kernels(
      [](Center center, std::span<const Value> args) {
        auto step = [&](std::span<const Value> carry, std::span<const Value>) {
          return graph::ScanStep{{center(carry[0], args[1], args[2])}, {}};
        };
        return graph::scan(args.first(1), {}, step, {.length = 3}).carry;
      },
      1);
}

TEST(KernelOnMesh, RunsInAManualRegion) {
  expect_kernels(
      [](Center center, std::span<const Value> args) {
        if (graph::Tracer::current().mesh().axes().empty()) return apply(center, args);
        return graph::manual({{args[0], "rows/data cols"}, {args[1], "cols"}, {args[2], "cols"}},
                             {"rows/data cols"},
                             [&](std::span<const Value> parts) { return apply(center, parts); });
      },
      1);
}

TEST(KernelOnMesh, RunsInARegionThatIsManualOverSomeAxes) {
  const Mesh mesh({{"data", 4}, {"model", 2}});
  auto use = [](Center center) {
    return [center](std::span<const Value> args) {
      return graph::manual(
          {{args[0], "rows/model cols"}, {args[1], "cols"}, {args[2], "cols"}}, {"rows/model cols"},
          [&](std::span<const Value> parts) { return apply(center, parts); }, {.axes = {"model"}});
    };
  };
  std::vector<Input> args = inputs();
  args[0].sharding = {{{"model", "data"}}};
  Outcome ours = run_on(mesh, args, use(center_rows), kRowsSplit);
  Outcome plain = run_on(mesh, args, use(plain_center_rows), kRowsSplit);
  expect_all_near(ours.results, plain.results, 1e-5);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 1);
  EXPECT_LE(num_gathers(ours), num_gathers(plain));
}

TEST(KernelOnMesh, KeepsTheMemoryOfADonatedArgument) {
  graph::Tracer tracer({.mesh = kDataMesh, .activations = kRowsSplit});
  mesh::Sharding split{{{"data"}}};
  Value x = tracer.argument({f32, {16, 512}}, {.name = "x", .sharding = split, .donated_to = 0});
  runtime::Executable step = runtime::test_client().compile(
      tracer.finish({add_in_place(x, 1)}, {{.name = "x", .sharding = split}}));
  EXPECT_EQ(count_ops(step, "copy"), 0);
  runtime::DeviceArray state = step.put_argument(0, HostTensor(ArrayType{f32, {16, 512}}));
  std::uintptr_t address = state.address(7);
  for (int i = 0; i < 3; ++i)
    state = step({std::move(state)})[0];
  EXPECT_EQ(state.address(7), address);
  EXPECT_THAT(state.to_host().values<float>(), testing::Each(3));
}

class Warnings {
 public:
  std::vector<std::string> lines;

 private:
  ScopedLogHandler handler_{[this](Severity, std::string_view text) { lines.emplace_back(text); }};
};

TEST(KernelOnMesh, IsReplacedWhereASplitDoesNotDivide) {
  auto twice = [](Center center) {
    return [center](std::span<const Value> args) {
      Value y = center(args[0], args[1], args[2]);
      return std::vector{center(y, args[1], args[2])};
    };
  };
  Warnings warnings;
  Outcome ours = run_on(kDataMesh, inputs(12), twice(center_rows), kRowsSplit);
  expect_all_near(ours.results, run_on({}, inputs(12), twice(plain_center_rows)).results, 1e-5);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 0);
  EXPECT_THAT(
      warnings.lines,
      ElementsAre(AllOf(HasSubstr("kernel center_rows: replaced by its formula: "),
                        HasSubstr("axis 'rows' of size 12 is not divisible into 8 parts"))));
}

TEST(KernelOnMesh, IsReplacedWhereAnAxisThatItNeedsWholeIsSplit) {
  const Mesh mesh({{"data", 4}, {"model", 2}});
  const AxisRules rules{{"rows", {"data"}}, {"cols", {"model"}}};
  Warnings warnings;
  auto use = [](std::span<const Value> args) { return gradients(center_rows, args); };
  std::vector<Input> args = inputs();
  args[0].sharding = {{{"data"}, {"model"}}};
  Outcome ours = run_on(mesh, args, use, rules);
  expect_all_near(ours.results, run_with(plain_center_rows, {}, gradients).results, 1e-5);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 0);
  EXPECT_THAT(warnings.lines,
              ElementsAre(HasSubstr("axis 'cols' is split by mesh axes model, but each call needs"),
                          HasSubstr("kernel center_rows_gradient: ")));
}

}  // namespace
}  // namespace meshwright::spmd
