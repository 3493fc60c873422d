// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/remat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::autodiff {
namespace {

using graph::SavePolicy;
using testing::HasSubstr;
using testing::Not;

// Two layers, each sin(exp(x) * w) with the product marked.
Value layers(Value x, Value w, const SavePolicy& policy) {
  for (int i = 0; i < 2; ++i) {
    auto layer = [](std::span<const Value> in) {
      return std::vector{sin(save(exp(in[0]) * in[1], "product"))};
    };
    x = remat(std::vector{x, w}, layer, policy)[0];
  }
  return graph::reduce_sum(x, {0});
}

std::string text_with(const SavePolicy& policy) {
  return write_stablehlo(graph::trace({{f32, {3}}, {f32, {3}}}, [&](std::span<const Value> args) {
    return grad([&](Value x, Value w) { return layers(x, w, policy); }, args);
  }));
}

TEST(Remat, IsWrittenAsItsBodyWhereNothingIsDifferentiated) {
  std::string text =
      write_stablehlo(graph::trace({{f32, {3}}, {f32, {3}}}, [](std::span<const Value> args) {
        return std::vector{layers(args[0], args[1], graph::keep_nothing())};
      }));
  EXPECT_EQ(count(text, "stablehlo.exponential"), 2);
  EXPECT_THAT(text, Not(HasSubstr("barrier")));
}

TEST(Remat, NamesEachOfSeveralResults) {
  std::string text = write_stablehlo(graph::trace({{f32, {3}}}, [](std::span<const Value> args) {
    std::vector<Value> both = graph::remat(args, [](std::span<const Value> in) {
      return std::vector{exp(in[0]), sin(in[0])};
    });
    return std::vector{both[1] - both[0]};
  }));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.subtract\"(%1, %0)"));
}

TEST(Remat, KeepingNothingComputesEachLayerAgain) {
  std::string text = text_with(graph::keep_nothing());
  // The exp of the second layer is recomputed for its gradient. The forward pass needs both for the
  // arguments of the layers, but not the last sine, since only gradients are requested.
  EXPECT_EQ(count(text, "stablehlo.exponential"), 1 + 2);
  EXPECT_EQ(count(text, "stablehlo.sine"), 1);
  EXPECT_EQ(count(text, "stablehlo.cosine"), 2);
  EXPECT_EQ(count(text, "stablehlo.optimization_barrier"), 2);
}

TEST(Remat, KeepingEverythingComputesNothingAgain) {
  std::string text = text_with(graph::keep_everything());
  EXPECT_EQ(count(text, "stablehlo.exponential"), 2);
  EXPECT_THAT(text, Not(HasSubstr("barrier")));
}

TEST(Remat, StartsAgainFromMarkedValues) {
  // exp(x) is needed for the gradients of x and w, the marked product only for that of the sine.
  std::string text = text_with(graph::keep_saved({"product"}));
  EXPECT_EQ(count(text, "stablehlo.exponential"), 2 + 2);
  EXPECT_EQ(text, text_with(graph::keep_saved()));
  EXPECT_EQ(text_with(graph::keep_saved({"another"})), text_with(graph::keep_nothing()));
}

TEST(Remat, PoliciesAdd) {
  SavePolicy exps{.may_keep = [](const graph::Node& node, int) { return node.op == &graph::kExp; }};
  std::string text = text_with(graph::keep_saved() | exps);
  EXPECT_EQ(count(text, "stablehlo.exponential"), 2);
}

TEST(Remat, KeptValuesMayWaitOnTheHost) {
  std::string text = text_with(graph::on_host(graph::keep_saved({"product"})));
  EXPECT_EQ(count(text, "stablehlo.exponential"), 2 + 2);
  // One product per layer.
  EXPECT_EQ(count(text, "_xla_buffer_placement = \"pinned_host\""), 2);
  EXPECT_EQ(count(text, "_xla_buffer_placement = \"device\""), 2);
  EXPECT_EQ(text, text_with(graph::keep_saved({"product"}) |
                            graph::on_host(graph::keep_saved({"product"}))));
  EXPECT_THAT(text_with(graph::on_host(graph::keep_nothing())), Not(HasSubstr("pinned_host")));
}

TEST(Remat, WithoutABarrierWhereThePolicySaysSo) {
  SavePolicy policy = graph::keep_nothing();
  policy.barrier = false;
  EXPECT_THAT(text_with(policy), Not(HasSubstr("barrier")));
}

int dots_with(const SavePolicy& policy) {
  return count(write_stablehlo(graph::trace(
                   {{f32, {2, 3, 3}}},
                   [&](std::span<const Value> args) {
                     auto body = [](std::span<const Value> in) {
                       graph::DotDims batched{{0}, {0}, {2}, {1}};
                       Value scores = graph::dot_general(in[0], in[0], batched);
                       Value mixed = graph::dot_general(exp(scores), in[0], {{}, {}, {0}, {0}});
                       return std::vector{exp(mixed)};
                     };
                     auto fn = [&](std::span<const Value> in) {
                       Value out = graph::remat(in, body, policy)[0];
                       return graph::reduce_sum(out, {0, 1, 2, 3});
                     };
                     return value_and_grad(fn, args).gradients;
                   })),
               "stablehlo.dot_general");
}

TEST(Remat, DotsAreKeptOrOnlyThoseWithoutBatch) {
  int gradients = 4;
  EXPECT_EQ(dots_with(graph::keep_dots()), 2 + gradients);
  EXPECT_EQ(dots_with(graph::keep_dots_without_batch()), 3 + gradients);
  EXPECT_EQ(dots_with(graph::keep_nothing()), 2 + gradients);  // the value is not requested
}

TEST(Remat, ConvolutionsCountAsDots) {
  auto convolutions_with = [](const SavePolicy& policy) {
    auto fn = [&](std::span<const Value> in) {
      auto body = [](std::span<const Value> a) {
        return std::vector{exp(graph::convolution(a[0], a[0]))};
      };
      return graph::reduce_sum(graph::remat(in, body, policy)[0], {0, 1, 2});
    };
    return count(write_stablehlo(graph::trace({{f32, {3, 3, 3}}},
                                              [&](std::span<const Value> args) {
                                                ValueAndGrad out = value_and_grad(fn, args);
                                                return std::vector{out.value, out.gradients[0]};
                                              })),
                 "stablehlo.convolution");
  };
  int gradients = 2;
  EXPECT_EQ(convolutions_with(graph::keep_dots()), 1 + gradients);
  EXPECT_EQ(convolutions_with(graph::keep_nothing()), 2 + gradients);
}

}  // namespace
}  // namespace meshwright::autodiff
