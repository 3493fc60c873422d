// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/embedding/embedding.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::Value;
using mesh::Mesh;
using runtime::count_ops;
using spmd::Input;
using spmd::Outcome;
using ::testing::HasSubstr;

struct Case {
  std::int64_t vocab, embed;
  Dims ids = {2, 9};
  std::int64_t most = 0;   ///< exclusive bound of ids; 0: vocab
  std::int64_t least = 0;  ///< may be negative
  DType table = f32, out = f32;
  DType id_type = s32;
};

HostTensor ids_of(const Case& c) {
  HostTensor ids({s32, c.ids});
  const std::int64_t most = c.most == 0 ? c.vocab : c.most;
  auto* values = reinterpret_cast<std::int32_t*>(ids.mutable_data());
  for (std::int64_t i = 0; i < num_elements(c.ids); ++i)
    values[i] = static_cast<std::int32_t>(c.least + i * i * 37 % (most - c.least));
  return ids;
}

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  Dims vectors = c.ids;
  vectors.push_back(c.embed);
  return {{spmd::random_array({c.vocab, c.embed}, 1), {}},
          {ids_of(c), lies},
          {spmd::random_array(vectors, 2), lies}};
}

using Embed = Value (*)(Value table, Value ids, DType out);

Value by_kernel(Value table, Value ids, DType out) {
  return embedding(table, ids, out);
}

Value by_formula(Value table, Value ids, DType out) {
  return graph::cast(graph::take(graph::cast(table, f32), ids, 0), out);
}

/// Returns the vectors and, weighted with the last input, the gradient of the table.
std::vector<Value> results(Embed embed, const Case& c, std::span<const Value> in) {
  Value ids = graph::cast(in[1], c.id_type);
  auto run = [&](Value table) {
    Value y = graph::cast(embed(table, ids, c.out), f32);
    return graph::constrain(y,
                            AxisSpec::parse(c.ids.size() == 2 ? "batch len embed" : "len embed"));
  };
  Value table = graph::cast(in[0], c.table);
  auto loss = [&](std::span<const Value> args) {
    return graph::reduce_sum(run(args[0]) * in[2], graph::counting(in[2].rank()));
  };
  return {run(table), graph::cast(autodiff::grad(loss, std::vector{table})[0], f32)};
}

/// NaN must be at the same positions as in the formula.
void expect_alike(const Outcome& ours, const Outcome& formula, double tolerance) {
  for (std::size_t r = 0; r < ours.results.size(); ++r) {
    const std::vector<double> actual = ours.results[r].to_doubles();
    const std::vector<double> expected = formula.results[r].to_doubles();
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_EQ(std::isnan(actual[i]), std::isnan(expected[i])) << r << ": " << i;
      if (std::isnan(expected[i])) continue;
      EXPECT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])))
          << r << ": " << i;
    }
  }
}

void expect_as_formula(const Case& c, double tolerance = 1e-6) {
  const Outcome ours = run_with(by_kernel, c);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 2);
  expect_alike(ours, run_with(by_formula, c), tolerance);
}

TEST(Embedding, IsItsFormulaInAnySize) {
  expect_as_formula({10, 4});
  expect_as_formula({1, 1, {1, 1}});
  expect_as_formula({300, 33, {7}});
  expect_as_formula({9, 1300, {3, 50}});  // vectors in parts
  expect_as_formula({5000, 24, {4, 600}});
}

TEST(Embedding, AddsUpWordsThatRepeat) {
  expect_as_formula({40, 17, {2, 300}, 3}, 1e-5);
  expect_as_formula({40, 17, {2, 300}, 1}, 1e-5);
}

TEST(Embedding, CountsFromTheEndAndKnowsNoOtherWords) {
  expect_as_formula({20, 8, {2, 60}, 0, -20});
  expect_as_formula({20, 8, {2, 90}, 50, -40});
  for (DType id_type : {s64, u32, u64}) {
    Case c{20, 8, {2, 90}, 50, id_type == s64 ? -40 : 0};
    c.id_type = id_type;
    expect_as_formula(c);
  }
}

TEST(Embedding, TakesBf16) {
  for (DType table : {f32, bf16}) {
    for (DType out : {f32, bf16}) {
      Case c{30, 21, {2, 40}, 0, -31};
      c.table = table, c.out = out;
      expect_as_formula(c, 0.02);
    }
  }
}

TEST(Embedding, AddsUpInF32) {
  // One number added 600 times, of which bf16 would lose most after the first 256.
  Case c{4, 8, {1, 600}, 1};
  c.out = bf16;
  const Outcome ours = spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
    auto loss = [&](std::span<const Value> args) {
      return graph::reduce_sum(graph::cast(embedding(args[0], in[1], bf16), f32), {0, 1, 2});
    };
    return autodiff::grad(loss, in.first(1));
  });
  EXPECT_EQ(ours.results[0].to_doubles()[0], 600);
}

TEST(Embedding, GivesTheSameBitsEachTime) {
  expect_same_bits_each_time(by_kernel, Case{100, 40, {4, 300}});
}

TEST(Embedding, RunsOnPartsOfAMesh) {
  const Case c{50, 16, {8, 6}};
  const Mesh mesh({{"data", 4}, {"model", 2}});
  for (const mesh::AxisRules& rules :
       {mesh::AxisRules({{"batch", {"data"}}}),
        mesh::AxisRules({{"batch", {"data"}}, {"embed", {"model"}}})}) {
    const Outcome parts = run_with(by_kernel, c, mesh, rules);
    const Outcome plain = run_with(by_formula, c, mesh, rules);
    expect_alike(parts, run_with(by_formula, c), 1e-5);
    EXPECT_EQ(count_ops(parts.program, "custom-call"), 2);
    EXPECT_LE(count_ops(parts.program, "all-gather"), count_ops(plain.program, "all-gather"));
  }
}

TEST(Embedding, GathersNoMoreOfASplitTable) {
  const Case c{48, 16, {8, 6}};
  for (const mesh::Sharding& lies : {mesh::Sharding{{{"data"}}}, mesh::Sharding{{{}, {"data"}}}}) {
    auto gathered = [&](Embed embed) {
      std::vector<Input> inputs = inputs_of(c, mesh::Sharding{{{"data"}}});
      inputs[0].sharding = lies;
      auto body = [&](std::span<const Value> in) { return results(embed, c, in); };
      const mesh::AxisRules rules({{"batch", {"data"}}});
      return count_ops(spmd::run_on(Mesh({{"data", 8}}), inputs, body, rules).program,
                       "all-gather");
    };
    EXPECT_LE(gathered(by_kernel), gathered(by_formula));
  }
}

TEST(Embedding, IsItsFormulaWhereWordsAreSplit) {
  const Case c{48, 16, {8, 6}};
  const Mesh mesh({{"data", 4}, {"model", 2}});
  const mesh::AxisRules rules({{"batch", {"data"}}, {"vocab", {"model"}}});
  const Outcome parts = run_with(by_kernel, c, mesh, rules);
  expect_alike(parts, run_with(by_formula, c), 1e-5);
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 0);
}

// args are (table, weights). Returns the sum of squares of the table's gradient.
Value size_of_gradient(Embed embed, Value ids, std::span<const Value> args) {
  auto loss = [&](std::span<const Value> table) {
    return graph::reduce_sum(graph::square(embed(table[0], ids, f32)) * args[1], {0, 1, 2});
  };
  return graph::reduce_sum(graph::square(autodiff::grad(loss, args.first(1))[0]), {0, 1});
}

TEST(Embedding, HasSecondDerivatives) {
  const Case c{12, 5};
  auto second = [&](Embed embed) {
    return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
      auto size = [&](std::span<const Value> args) { return size_of_gradient(embed, in[1], args); };
      return autodiff::grad(size, std::vector{in[0], in[2]});
    });
  };
  expect_alike(second(by_kernel), second(by_formula), 1e-5);
}

TEST(Embedding, RefusesWhatDoesNotFit) {
  const Case c{20, 8};
  auto message = [&](auto wrong) {
    return message_of([&] {
      spmd::trace_on({}, inputs_of(c),
                     [&](std::span<const Value> in) { return std::vector{wrong(in)}; });
    });
  };
  EXPECT_THAT(message([](auto in) { return embedding(in[0], in[2], f32); }),
              HasSubstr("embedding: ids must be integers, got f32[2,9,8]"));
}

}  // namespace
}  // namespace meshwright::kernels
