// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/differentiate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {
namespace {

using graph::Region;
using graph::RegionVjp;
using graph::Tracer;
using graph::Type;
using graph::Value;
using testing::ElementsAre;

// A body with float arguments and one result, split with respect to all arguments.
struct Split {
  Split(const std::vector<Type>& types,
        const Tracer::Body& fn,
        graph::SavePolicy policy = {},
        std::vector<bool> costly = {}) {
    Region& body = tracer.trace_region(types, fn);
    vjp = differentiate(body, {.wrt = std::vector<bool>(types.size(), true),
                               .with_cotangent = std::vector<bool>(body.results.size(), true),
                               .policy = std::move(policy),
                               .costly = std::move(costly)});
  }

  std::vector<std::string_view> backward_ops() const {
    std::vector<std::string_view> names;
    for (const graph::Node* node : graph::live_nodes(*vjp.backward))
      names.push_back(node->op->name);
    return names;
  }

  // Returns the ops whose results are kept; "argument" for arguments.
  std::vector<std::string_view> kept_ops() const {
    std::vector<std::string_view> names;
    std::size_t first = vjp.forward->results.size() - vjp.kept_argument.size();
    for (std::size_t i = first; i < vjp.forward->results.size(); ++i)
      names.push_back(vjp.forward->results[i].node()->op->name);
    return names;
  }

  Tracer tracer;
  RegionVjp vjp;
};

const Type kVector(f32, {3});
const graph::SavePolicy kKeepNothing{.may_keep = [](const graph::Node&, int) { return false; }};
const graph::SavePolicy kKeepSaved{
    .may_keep = [](const graph::Node& node, int) { return node.op == &graph::kSave; }};

TEST(Differentiate, KeepsWhatTheBackwardPassUses) {
  Split split({kVector, kVector},
              [](std::span<const Value> in) { return std::vector{exp(in[0]) * in[1]}; });
  // exp(x) serves its own gradient and that of the product.
  EXPECT_THAT(split.kept_ops(), ElementsAre("argument", "exp"));
  EXPECT_THAT(split.vjp.kept_argument, ElementsAre(1, -1));
  EXPECT_THAT(split.backward_ops(), ElementsAre("multiply", "multiply", "multiply"));
  EXPECT_EQ(split.vjp.backward->num_args(), 3);
  EXPECT_EQ(split.vjp.backward->results.size(), 2u);
}

TEST(Differentiate, RecomputesWhatThePolicyDoesNotKeep) {
  Split split(
      {kVector}, [](std::span<const Value> in) { return std::vector{exp(exp(in[0]))}; },
      kKeepNothing);
  EXPECT_THAT(split.vjp.kept_argument, ElementsAre(0));
  EXPECT_THAT(split.backward_ops(), ElementsAre("exp", "exp", "multiply", "multiply"));
}

TEST(Differentiate, RecomputesFromMarkedValues) {
  Split split(
      {kVector}, [](std::span<const Value> in) { return std::vector{exp(save(exp(in[0])))}; },
      kKeepSaved);
  // The gradient of exp uses the result of exp, which `save` only renames, so it is not recomputed.
  EXPECT_THAT(split.kept_ops(), ElementsAre("exp"));
  EXPECT_THAT(split.backward_ops(), ElementsAre("exp", "multiply", "multiply"));
}

TEST(Differentiate, NeverKeepsConstants) {
  Split split({kVector}, [](std::span<const Value> in) { return std::vector{in[0] * 3}; });
  EXPECT_TRUE(split.vjp.kept_argument.empty());
  EXPECT_THAT(split.backward_ops(), ElementsAre("constant", "multiply"));
}

TEST(Differentiate, KeepsAnArrayOnceOfWhichSeveralViewsAreNeeded) {
  auto body = [](std::span<const Value> in) {
    Value y = sin(in[0]);
    return std::vector{sin(graph::transpose(y, {1, 0, 2})), sin(graph::transpose(y, {2, 1, 0}))};
  };
  EXPECT_THAT(Split({Type(f32, {2, 3, 4})}, body).kept_ops(), ElementsAre("argument", "sin"));
}

TEST(Differentiate, ConvertsAnArgumentAgainRatherThanKeepingBoth) {
  auto body = [](std::span<const Value> in) {
    Value narrow = cast(in[0], bf16);
    return std::vector{narrow * narrow};
  };
  EXPECT_THAT(Split({kVector}, body).vjp.kept_argument, ElementsAre(0));
  EXPECT_THAT(Split({kVector}, body, {}, {true}).kept_ops(), ElementsAre("cast"));
}

TEST(Differentiate, KeepsTheSmallerFormOfAValue) {
  Type narrow(bf16, {3});
  Split split({narrow}, [](std::span<const Value> in) {
    Value wide = cast(sin(in[0]), f32);
    return std::vector{wide * wide};
  });
  EXPECT_THAT(split.kept_ops(), ElementsAre("argument", "sin"));
}

TEST(Differentiate, GivesZerosForArgumentsNothingDependsOn) {
  Split split({kVector, kVector},
              [](std::span<const Value> in) { return std::vector{exp(in[0])}; });
  ASSERT_EQ(split.vjp.backward->results.size(), 2u);
  EXPECT_EQ(split.vjp.backward->results[1].node()->op->name, "constant");
}

}  // namespace
}  // namespace meshwright::autodiff
