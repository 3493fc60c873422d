// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/flops.h"

#include <optional>

#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/kernels/attention/attention.h"
#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/kernels/linear/linear.h"

namespace meshwright::nn {
namespace {

using graph::Value;

TEST(Flops, OfAProductAreTwoForEachMultiplication) {
  auto body = [](std::span<const Value> v) {
    return std::vector{dot_general(v[0], v[1], {{0}, {0}, {2}, {1}}) + 1.0};
  };
  graph::Program program = graph::trace({{f32, {2, 3, 5}}, {f32, {2, 5, 7}}}, body);
  EXPECT_EQ(num_flops(program), 2.0 * 2 * 3 * 5 * 7);
}

TEST(Flops, OfAttentionAreThoseOfItsFormula) {
  auto flops_with = [](const auto& attend) {
    auto loss = [&](std::span<const Value> v) {
      return graph::reduce_sum(attend(v[0], v[1], v[2]), {0, 1, 2, 3, 4});
    };
    auto body = [&](std::span<const Value> v) { return autodiff::grad(loss, v); };
    return num_flops(
        graph::trace({{f32, {2, 9, 3, 2, 5}}, {f32, {2, 11, 3, 5}}, {f32, {2, 11, 3, 5}}}, body));
  };
  auto formula = [](Value q, Value k, Value v) {
    return kernels::weighted_values(kernels::attention_probabilities(q, k, {}, {}), v);
  };
  EXPECT_EQ(flops_with([](Value q, Value k, Value v) { return kernels::attention(q, k, v); }),
            flops_with(formula));
}

TEST(Flops, OfAWindowAreThoseOfItsKeys) {
  const auto flops_of = [](std::int64_t src, std::int64_t window) {
    return num_flops(graph::trace(
        {{f32, {2, 32, 3, 2, 8}}, {f32, {2, src, 3, 8}}}, [&](std::span<const Value> v) {
          return std::vector{
              kernels::attention(v[0], v[1], v[1], {.causal = true, .window = window})};
        }));
  };
  EXPECT_EQ(flops_of(32, 8), flops_of(8, 0));
  EXPECT_EQ(flops_of(32, 100), flops_of(32, 0));
}

TEST(Flops, OfACrossEntropyAreThoseOfItsFormula) {
  auto flops_with = [](const auto& loss) {
    auto of_both = [&](std::span<const Value> v) {
      Value labels = graph::constant(1, s32, {2, 5}), weights = graph::constant(1, f32, {2, 5});
      return loss(kernels::Projection{v[0], v[1]}, labels, weights);
    };
    auto body = [&](std::span<const Value> v) { return autodiff::grad(of_both, v); };
    return num_flops(graph::trace({{f32, {2, 5, 3}}, {f32, {3, 7}}}, body));
  };
  auto formula = [](const kernels::Projection& p, Value labels, Value weights) {
    return graph::reduce_sum(kernels::cross_entropies(kernels::logits(p), labels) * weights,
                             {0, 1});
  };
  auto kernel = [](const kernels::Projection& p, Value labels, Value weights) {
    return kernels::cross_entropy(p, labels, weights).loss;
  };
  EXPECT_EQ(flops_with(kernel), flops_with(formula));
  EXPECT_EQ(flops_with(kernel), 3 * 2.0 * 10 * 3 * 7);
}

TEST(Flops, OfALinearLayerAreThoseOfItsFormula) {
  auto products_with = [](bool has_kernel, bool is_transposed,
                          std::optional<kernels::Activation> activation) {
    Dims weight = is_transposed ? Dims{2, 7, 5} : Dims{5, 2, 7};
    auto loss = [&](std::span<const Value> v) {
      Value y = kernels::linear_call({"batch len", "embed", "kv dim", is_transposed}, v[0], v[1],
                                     {.activation = activation});
      return graph::reduce_sum(y * y, {0, 1, 2, 3});
    };
    auto body = [&](std::span<const Value> v) { return autodiff::grad(loss, v); };
    graph::Program program = graph::trace({{f32, {2, 9, 5}}, {f32, weight}}, body);
    return products(has_kernel ? program : graph::place_kernels(program, "none"));
  };
  for (int way = 0; way < 4; ++way) {
    const bool is_transposed = way % 2 == 1;
    const auto activation = way < 2 ? std::nullopt : std::optional(kernels::Activation::relu);
    std::vector<Product> ours = products_with(true, is_transposed, activation);
    std::vector<Product> formula = products_with(false, is_transposed, activation);
    ASSERT_EQ(ours.size(), 3U);
    ASSERT_EQ(formula.size(), 3U);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].k, formula[i].k) << i;
      EXPECT_EQ(ours[i].num_flops(), formula[i].num_flops()) << i;
    }
  }
}

TEST(Flops, OfAScanCountEveryStep) {
  auto body = [](std::span<const Value> v) {
    auto step = [&](std::span<const Value> carry, std::span<const Value> xs) {
      return graph::ScanStep{{dot_general(carry[0], xs[0], {{}, {}, {1}, {0}})}, {}};
    };
    return scan(v.first(1), v.subspan(1), step).carry;
  };
  graph::Program program = graph::trace({{f32, {3, 4}}, {f32, {6, 4, 4}}}, body);
  EXPECT_EQ(num_flops(program), 6 * 2.0 * 3 * 4 * 4);
}

TEST(Flops, OfABranchAreThoseOfTheDearest) {
  auto body = [](std::span<const Value> v) {
    auto once = [](std::span<const Value> x) {
      return std::vector{dot_general(x[0], x[0], {{}, {}, {1}, {0}})};
    };
    auto twice = [&](std::span<const Value> x) { return once(once(x)); };
    return graph::cond(v[0], once, twice, v.subspan(1));
  };
  graph::Program program = graph::trace({{pred, {}}, {f32, {4, 4}}}, body);
  EXPECT_EQ(num_flops(program), 2 * 2.0 * 64);
}

TEST(Flops, OfAConvolutionCountItsWindow) {
  auto body = [](std::span<const Value> v) { return std::vector{convolution(v[0], v[1])}; };
  graph::Program program = graph::trace({{f32, {2, 8, 8, 3}}, {f32, {3, 3, 3, 5}}}, body);
  EXPECT_EQ(num_flops(program), 2.0 * (2 * 6 * 6 * 5) * (3 * 3 * 3));
}

// Returns the FLOPs of a product in a manual region on a mesh of 8 devices, whose parts differ
// along the given mesh axes.
double flops_by_hand(const mesh::ShardSpec& x, const mesh::ShardSpec& w, const mesh::ShardSpec& y) {
  graph::Tracer tracer({.mesh = mesh::Mesh({{"d", 2}, {"t", 4}})});
  Value a = tracer.argument({f32, {8, 16}}), b = tracer.argument({f32, {16, 32}});
  auto body = [](std::span<const Value> v) {
    auto step = [&](std::span<const Value> carry, std::span<const Value>) {
      return graph::ScanStep{{carry[0]}, {dot_general(v[0], v[1], {{}, {}, {1}, {0}})}};
    };
    Value products = scan(v.first(1), {}, step, {.length = 3}).ys[0];
    return std::vector{take_index(products, 0, 0)};
  };
  return num_flops(tracer.finish(graph::manual({{a, x}, {b, w}}, {y}, body)));
}

TEST(Flops, OfAManualRegionAreThoseOfAllItsParts) {
  const double whole = 3 * 2.0 * 8 * 16 * 32;
  EXPECT_EQ(flops_by_hand("batch/d embed", "embed mlp/t", "batch/d mlp/t"), whole);
  // Computed four times but needed once.
  EXPECT_EQ(flops_by_hand("batch/d embed", "embed mlp", "batch/d mlp"), whole);
}

TEST(Products, AreNamedByTheirSizes) {
  auto body = [](std::span<const Value> v) {
    // batch dims 3 and 2; sums over 7 and 5; free dims 11 and 4 on the left, 13 on the right
    return std::vector{dot_general(v[0], v[1], {{0, 2}, {1, 0}, {1, 5}, {2, 4}})};
  };
  graph::Program program =
      graph::trace({{bf16, {3, 7, 2, 11, 4, 5}}, {bf16, {2, 3, 7, 13, 5}}}, body);
  std::vector<Product> found = products(program);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].batch, 3 * 2);
  EXPECT_EQ(found[0].m, 11 * 4);
  EXPECT_EQ(found[0].k, 7 * 5);
  EXPECT_EQ(found[0].n, 13);
  EXPECT_EQ(found[0].dtype, bf16);
  EXPECT_EQ(found[0].times, 1);
}

TEST(Products, OfALoopAreComputedManyTimes) {
  auto body = [](std::span<const Value> v) {
    auto step = [&](std::span<const Value> carry, std::span<const Value> xs) {
      return graph::ScanStep{{dot_general(carry[0], xs[0], {{}, {}, {1}, {0}})}, {}};
    };
    return scan(v.first(1), v.subspan(1), step).carry;
  };
  graph::Program program = graph::trace({{f32, {3, 4}}, {f32, {6, 4, 4}}}, body);
  std::vector<Product> found = products(program);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].times, 6);
}

TEST(Flops, OfATrainingStepAreThreeForwardPasses) {
  double flops = num_training_flops([](graph::Tracer& tracer) {
    Value x = tracer.argument({f32, {4, 4}});
    dot_general(x, x, {{}, {}, {1}, {0}});
  });
  EXPECT_EQ(flops, 3 * 2.0 * 64);
}

}  // namespace
}  // namespace meshwright::nn
