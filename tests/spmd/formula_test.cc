// SPDX-License-Identifier: Apache-2.0
// Operations on shards by formulas: a layer in seqax's notation, compared with one device.
#include "meshwright/graph/ops/formula.h"

#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/sharding/global.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using Values = std::vector<Value>;
using Args = std::span<const Value>;

Values with_gradients(const autodiff::Function& loss, Args args) {
  autodiff::ValueAndGrad both = autodiff::value_and_grad(loss, args);
  Values out = {both.value};
  out.insert(out.end(), both.gradients.begin(), both.gradients.end());
  return out;
}

HostTensor integers(const std::vector<std::int32_t>& values, Dims dims) {
  return HostTensor::from(values, std::move(dims));
}

// Embedding, then a layer with weights sharded over d (gathered for use) and t (sums are not
// reduced).
Value by_formulas(Value ids, Args w) {
  auto body = [](Args p) {
    auto [tokens, stored, up, down] = std::array{p[0], p[1], p[2], p[3]};
    Value table = all_gather("V/t M/d -> V/t M", stored);
    Value x = reduce_scatter("B/d L M -> B/d L M/t",
                             index_unreduced("V/t M, B/d L -> B/d L M", table, tokens));
    Value all = all_gather("B/d L M/t -> B/d L M", x);
    Value hidden = tanh(
        einsum_unreduced("B/d L M, M H/t -> B/d L H/t", all, all_gather("M/d H/t -> M H/t", up)));
    Value out = reduce_scatter("B/d L M -> B/d L M/t",
                               einsum_unreduced("B/d L H/t, H/t M -> B/d L M", hidden,
                                                all_gather("H/t M/d -> H/t M", down)));
    return Values{global_mean(out * (x + out))};
  };
  return manual({{ids, "B/d L"}, {w[0], "V/t M/d"}, {w[1], "M/d H/t"}, {w[2], "H/t M/d"}}, {""},
                body)[0];
}

Value on_whole_arrays(Value ids, Args w) {
  Value x = take(w[0], ids);
  Value hidden = tanh(einsum("B L M, M H -> B L H", x, w[1]));
  Value out = einsum("B L H, H M -> B L M", hidden, w[2]);
  return global_mean(out * (x + out));
}

TEST(Formulas, MakeALayerWithTheGradientsOfOneDevice) {
  std::vector<Input> inputs = {
      {integers({0, 15, 3, 7, 8, 4, 4, 11, 12, 1, 2, 14}, {4, 3}), {{{"d"}}}},
      {random_array({16, 8}, 1), {{{"t"}, {"d"}}}},
      {random_array({8, 16}, 2), {{{"d"}, {"t"}}}},
      {random_array({16, 8}, 3), {{{"t"}, {"d"}}}}};
  auto program = [](auto&& loss) {
    return [loss](Args args) {
      return with_gradients([&](Args w) { return loss(args[0], w); }, args.subspan(1));
    };
  };
  Outcome one = run_on({}, inputs, program(on_whole_arrays));
  Outcome automatic = run_on(kMesh, inputs, program(on_whole_arrays));
  Outcome many = run_on(kMesh, inputs, program(by_formulas));
  expect_all_near(automatic.results, one.results, 1e-5);
  expect_all_near(many.results, one.results, 1e-5);
}

TEST(IndexUnreduced, GivesZerosForIndicesOutsideOfTheTable) {
  std::vector<Input> inputs = {{random_array({16, 4}, 1), {{{"t"}}}},
                               {integers({-1, 16, 0, 15, -16, 5, 100, 9}, {8}), {{{"d"}}}}};
  auto by_formula = [](Args args) {
    return manual({{args[0], "V/t M"}, {args[1], "B/d"}}, {"B/d M"}, [](Args p) {
      return Values{all_reduce(index_unreduced("V/t M, B/d -> B/d M", p[0], p[1]), {"t"})};
    });
  };
  Outcome outcome = run_on(kMesh, inputs, by_formula);
  std::vector<double> table = inputs[0].value.to_doubles(), found = outcome.results[0].to_doubles();
  std::vector<std::int32_t> rows = {-1, 16, 0, 15, -16, 5, 100, 9};
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::int32_t row = rows[i / 4];
    bool inside = row >= 0 && row < 16;
    EXPECT_EQ(found[i], inside ? table[static_cast<std::size_t>(row) * 4 + i % 4] : 0.0) << i;
  }
}

// seqax's example: axes of the table and of the indices in any order, one of them in both.
TEST(IndexUnreduced, TakesAxesInAnyOrder) {
  std::vector<Input> inputs = {{random_array({3, 16, 4}, 1), {}},
                               {integers({4, 0, 15, 9, 7, 2}, {2, 3}), {}}};
  auto by_formula = [](Args args) {
    auto lookup = [](Args p) {
      Value part = index_unreduced("A B/t C, D/d A -> C A D/d", p[0], p[1]);
      return Values{all_reduce(part, {"t"})};
    };
    return manual({{args[0], "A B/t C"}, {args[1], "D/d A"}}, {"C A D/d"}, lookup);
  };
  auto with_one_hot = [](Args args) {
    return Values{einsum("A B C, D A B -> C A D", args[0], one_hot(args[1], 16, f32))};
  };
  expect_all_near(run_on(kMesh, inputs, by_formula).results,
                  run_on({}, inputs, with_one_hot).results, 1e-6);
}

}  // namespace
}  // namespace meshwright::spmd
