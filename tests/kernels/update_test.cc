// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/update/update.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/kernels/update/update_formula.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::cast;
using graph::constant;
using graph::Value;
using mesh::Mesh;
using runtime::count_ops;
using spmd::Input;
using spmd::Outcome;

/// Returns the steps of an update. factor(dims) gives a factor of these dims with values in [-1,
/// 1).
using Steps = std::function<std::vector<UpdateStep>(const std::function<Value(Dims)>& factor)>;

struct Case {
  Dims dims = {37};
  Steps steps = {};
  int num_slots = 0;
  DType param = f32, gradient = f32, slot = f32;
  bool has_average = false;
  std::optional<bool> condition = {};
  double gradient_factor = 1;
};

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  std::vector<Input> out;
  for (unsigned i = 0; i < 5; ++i)
    out.push_back({spmd::random_array(c.dims, i), lies});
  return out;
}

// Slots are positive, since some are averages of squares.
ArrayUpdate array_of(const Case& c, std::span<const Value> in) {
  unsigned seed = 10;
  auto factor = [&](Dims dims) { return constant(spmd::random_array(std::move(dims), seed++)); };
  ArrayUpdate out{.param = cast(in[0], c.param),
                  .gradient = cast(in[1] * c.gradient_factor, c.gradient),
                  .steps = c.steps(factor),
                  .slots = {}};
  for (int i = 0; i < c.num_slots; ++i)
    out.slots.push_back(cast(graph::square(in[2 + static_cast<std::size_t>(i)]), c.slot));
  if (c.has_average) {
    out.average = cast(in[4], c.param);
    out.average_decay = constant(0.75, f32);
  }
  if (c.condition) out.condition = constant(*c.condition ? 1.0 : 0.0, pred);
  return out;
}

using Update = UpdatedArray (*)(const ArrayUpdate&);

UpdatedArray by_kernel(const ArrayUpdate& array) {
  return update_arrays({array})[0];
}

std::vector<Value> values_of(const UpdatedArray& updated) {
  std::vector<Value> out = {updated.param};
  out.insert(out.end(), updated.slots.begin(), updated.slots.end());
  if (!updated.average.is_null()) out.push_back(updated.average);
  for (Value& x : out)
    x = cast(x, f32);
  return out;
}

std::vector<Value> results(Update update, const Case& c, std::span<const Value> in) {
  return values_of(update(array_of(c, in)));
}

void expect_as_formula(const Case& c, double tolerance = 2e-6) {
  const Outcome ours = run_with(by_kernel, c);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 1);
  spmd::expect_all_near(ours.results, run_with(updated_by_formula, c).results, tolerance);
}

std::vector<UpdateStep> adamw(bool nesterov) {
  return {scale_step(constant(0.5, f32)),
          adam_step({.b1 = 0.9,
                     .b2 = 0.95,
                     .eps = 1e-3,
                     .eps_root = 1e-4,
                     .nesterov = nesterov,
                     .correction = constant(0.3, f32),
                     .next_correction = nesterov ? constant(0.4, f32) : Value(),
                     .square_correction = constant(0.1, f32)}),
          add_param_step(constant(0.25, f32)), scale_step(constant(-0.125, f32))};
}

Case adamw_case(Dims dims) {
  return {.dims = std::move(dims), .steps = [](auto) { return adamw(false); }, .num_slots = 2};
}

// Every step that has slots, with steps before and after it.
std::vector<Case> all_kinds() {
  auto around = [](UpdateStep core) {
    return [core](auto factor) {
      return std::vector{add_param_step(factor({})), scale_step(factor({})), core,
                         scale_step(factor({})), add_param_step(factor({}))};
    };
  };
  const auto average = [](bool is_corrected) {
    return [=](auto) {
      return std::vector{
          average_step(constant(0.8, f32), is_corrected ? constant(0.5, f32) : Value())};
    };
  };
  return {
      {.steps = [](auto factor) { return std::vector{scale_step(factor({}))}; }},
      {.steps = [](auto) { return std::vector<UpdateStep>(); }},
      {.steps = [](auto) { return adamw(false); }, .num_slots = 2},
      {.steps = [](auto) { return adamw(true); }, .num_slots = 2},
      {.steps = around(lion_step(0.9, 0.6)), .num_slots = 1},
      {.steps = around(momentum_step(0.7, false)), .num_slots = 1},
      {.steps = around(momentum_step(0.7, true)), .num_slots = 1},
      {.steps = average(false), .num_slots = 1},
      {.steps = average(true), .num_slots = 1},
      {.steps = [](auto) { return std::vector{average_step(0.9, Value())}; }, .num_slots = 1},
  };
}

TEST(Update, IsItsFormulaForEveryKindOfStep) {
  for (Case c : all_kinds()) {
    expect_as_formula(c);
    c.has_average = true;
    expect_as_formula(c);
    c.gradient = bf16;
    expect_as_formula(c);
    c.slot = bf16;
    expect_as_formula(c, 5e-3);
    c.param = bf16;
    expect_as_formula(c, 5e-3);
  }
}

TEST(Update, IsItsFormulaInAnySize) {
  for (const Dims& dims :
       {Dims{}, Dims{1}, Dims{1, 1}, Dims{16}, Dims{7, 9}, Dims{2, 3, 4, 5, 6, 1, 7}, Dims{32767},
        Dims{32768}, Dims{32769}, Dims{3, 100001}})
    expect_as_formula(adamw_case(dims));
}

TEST(Update, TakesRowsAndColumnsAsFactors) {
  const std::vector<std::pair<Dims, std::vector<Dims>>> all = {
      {{50, 70}, {{50, 1}, {1, 70}}},
      {{3, 50, 70}, {{3, 50, 1}, {3, 1, 70}, {3, 1, 1}}},
      {{50, 3, 70}, {{50, 3, 1}, {1, 3, 70}}},
      {{70, 50, 3}, {{70, 1, 3}, {1, 50, 3}}},
      {{2, 40000}, {{2, 1}, {1, 40000}}},
      {{40000, 2}, {{40000, 1}, {1, 2}}},
      {{1, 6, 1, 5}, {{1, 6, 1, 1}, {1, 1, 1, 5}}},
      {{4, 5}, {{1, 1}, {4, 5}}},
  };
  for (const auto& [dims, factors] : all) {
    Case c{.dims = dims, .num_slots = 1};
    c.steps = [&factors = factors](auto factor) {
      std::vector<UpdateStep> out;
      for (const Dims& one : factors)
        out.push_back(scale_step(factor(one)));
      out.push_back(momentum_step(0.7, false));
      out.push_back(scale_step(factor({})));
      return out;
    };
    expect_as_formula(c);
  }
}

TEST(Update, DropsWhatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    Case c{.steps =
               [](auto) {
                 std::vector<UpdateStep> steps = adamw(false);
                 steps[0] = scale_or_drop_step(constant(0.0, f32));
                 return steps;
               },
           .num_slots = 2};
    const Outcome good = run_with(by_kernel, c);
    c.gradient_factor = bad;
    const Outcome dropped = run_with(by_kernel, c);
    for (std::size_t i = 0; i < good.results.size(); ++i)
      EXPECT_EQ(dropped.results[i].to_doubles(), good.results[i].to_doubles()) << i;
  }
}

TEST(Update, LeavesAllAsItIsWhereTheConditionDoesNotHold) {
  for (const Dims& dims : {Dims{37, 1}, Dims{100, 1000}}) {
    Case c = adamw_case(dims);
    c.steps = [&](auto factor) {
      std::vector<UpdateStep> out = adamw(false);
      out.insert(out.begin(), scale_step(factor({dims[0], 1})));
      return out;
    };
    c.has_average = true;
    c.condition = true;
    expect_as_formula(c);
    c.condition = false;
    c.gradient_factor = std::nan("");
    const Outcome out = run_with(by_kernel, c);
    EXPECT_EQ(out.results[0].to_doubles(), spmd::random_array(dims, 0).to_doubles());
    EXPECT_EQ(out.results[3].to_doubles(), spmd::random_array(dims, 4).to_doubles());
    spmd::expect_all_near(out.results, run_with(updated_by_formula, c).results, 0);
  }
}

TEST(Update, CountsTheNewestAsTheDecayIsGiven) {
  // In f32, 1 - 0.99999 would be 0.3% too large.
  for (const bool nesterov : {false, true}) {
    Case c{.steps =
               [=](auto) {
                 UpdateStep step = adamw(nesterov)[1];
                 step.b1 = step.b2 = 0.99999;
                 return std::vector{step};
               },
           .num_slots = 2};
    c.gradient_factor = 1000;
    const Outcome ours = run_with(by_kernel, c), plain = run_with(updated_by_formula, c);
    spmd::expect_all_near(ours.results, plain.results, 2e-6);
  }
}

TEST(Update, LeavesInfiniteParametersToThemselves) {
  Case c = adamw_case({20});
  c.steps = [](auto) { return std::vector{momentum_step(0.5, false)}; };
  c.num_slots = 1;
  auto body = [&](std::span<const Value> in) {
    ArrayUpdate array = array_of(c, in);
    array.param = array.param * std::numeric_limits<double>::infinity();
    return values_of(by_kernel(array));
  };
  const Outcome out = spmd::run_on({}, inputs_of(c), body);
  for (const double x : out.results[0].to_doubles())
    EXPECT_TRUE(std::isinf(x));
  for (const double x : out.results[1].to_doubles())
    EXPECT_TRUE(std::isfinite(x));
}

TEST(Update, WritesArgumentsOfTheProgramInPlace) {
  const Case c = adamw_case({20});
  auto text = [&](bool are_arguments) {
    auto body = [&](std::span<const Value> in) {
      ArrayUpdate found = array_of(c, in);
      if (are_arguments) found.slots = {in[2], in[3]};
      return values_of(by_kernel(found));
    };
    return graph::write_stablehlo(spmd::trace_on({}, inputs_of(c), body));
  };
  EXPECT_THAT(text(true), testing::HasSubstr("output_tuple_indices = [2], operand_index = 3"));
  EXPECT_THAT(text(false), testing::Not(testing::HasSubstr("output_tuple_indices")));
}

// Arrays of all sizes and kinds that share scalars.
std::vector<Value> many(std::span<const Value> in,
                        const std::function<UpdatedArray(int)>& updated) {
  std::vector<Value> out;
  for (int i = 0; i < static_cast<int>(in.size()); ++i)
    for (Value x : values_of(updated(i)))
      out.push_back(x);
  return out;
}

TEST(Update, DoesAllArraysInOneCall) {
  std::vector<Input> inputs;
  for (unsigned i = 0; i < 9; ++i)
    inputs.push_back(
        {spmd::random_array({1 + 30000 * static_cast<std::int64_t>(i % 3), 2}, i), {}});
  auto arrays = [](std::span<const Value> in) {
    const std::vector<UpdateStep> shared = adamw(false);
    std::vector<ArrayUpdate> out;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool has_slots = i % 2 == 0;
      Value slot = graph::square(in[i]), same = graph::square(in[i]);
      out.push_back({.param = in[i],
                     .gradient = in[i] * 0.5,
                     .steps = has_slots ? shared : std::vector{scale_step(constant(-0.5, f32))},
                     .slots = has_slots ? std::vector{slot, same} : std::vector<Value>()});
    }
    return out;
  };
  const Outcome ours = spmd::run_on({}, inputs, [&](std::span<const Value> in) {
    const std::vector<UpdatedArray> updated = update_arrays(arrays(in));
    return many(in, [&](int i) { return updated[static_cast<std::size_t>(i)]; });
  });
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 1);
  const Outcome expected = spmd::run_on({}, inputs, [&](std::span<const Value> in) {
    const std::vector<ArrayUpdate> all = arrays(in);
    return many(in, [&](int i) { return updated_by_formula(all[static_cast<std::size_t>(i)]); });
  });
  spmd::expect_all_near(ours.results, expected.results, 2e-6);
}

TEST(Update, LeavesWhatItCannotToPlainOps) {
  const auto twice = [](auto) {
    return std::vector{momentum_step(0.7, false), momentum_step(0.6, false)};
  };
  const auto late_row = [](auto factor) {
    return std::vector{momentum_step(0.7, false), scale_step(factor({5, 1}))};
  };
  const auto late_drop = [](auto factor) {
    return std::vector{momentum_step(0.7, false), scale_or_drop_step(factor({}))};
  };
  for (const Case& c :
       {Case{.dims = {5, 6}, .steps = twice, .num_slots = 2},
        Case{.dims = {5, 6}, .steps = late_drop, .num_slots = 1},
        Case{.dims = {5, 6}, .steps = late_row, .num_slots = 1},
        Case{.dims = {5, 6},
        .steps = [](auto) { return adamw(false); },
        .num_slots = 2,
        .param = f64,
        .gradient = f64,
        .slot = f64},
        Case{.dims = {0, 6}, .steps = [](auto) { return adamw(false); }, .num_slots = 2}}) {
    const Outcome out = run_with(by_kernel, c);
    EXPECT_EQ(count_ops(out.program, "custom-call"), 0);
    spmd::expect_all_near(out.results, run_with(updated_by_formula, c).results, 0);
  }
}

TEST(Update, GivesTheSameBitsEachTime) {
  expect_same_bits_each_time(by_kernel, adamw_case({300, 1000}));
}

TEST(Update, RunsOnTheShardsOfAMesh) {
  Case c{.dims = {8, 6, 40}, .num_slots = 2};
  c.steps = [](auto factor) {
    std::vector<UpdateStep> out = adamw(false);
    for (const Dims& dims : {Dims{8, 6, 1}, Dims{8, 1, 40}})
      out.insert(out.begin(), scale_step(factor(dims)));
    return out;
  };
  // The rules, which shard activations differently, have no effect.
  const mesh::AxisRules rules = {{"array0_dim1", {"model"}}};
  // Results that are replicated are gathered for that.
  auto body = [&](Update update) {
    return [&c, update](std::span<const Value> in) {
      std::vector<Value> out;
      for (Value x : results(update, c, in))
        out.push_back(graph::reduce_sum(graph::square(x), {0, 1, 2}));
      return out;
    };
  };
  std::vector<Input> inputs = inputs_of(c, mesh::Sharding{{{"data"}, {}, {"model"}}});
  const Outcome parts =
      spmd::run_on(Mesh({{"data", 4}, {"model", 2}}), inputs, body(by_kernel), rules);
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 1);
  EXPECT_EQ(count_ops(parts.program, "all-gather"), 0);
  const Outcome whole = spmd::run_on({}, inputs_of(c), body(updated_by_formula));
  spmd::expect_all_near(parts.results, whole.results, 2e-6);
}

}  // namespace
}  // namespace meshwright::kernels
