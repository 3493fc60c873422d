// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/cond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::autodiff {
namespace {

using graph::cond;
using graph::Node;
using testing::HasSubstr;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

std::vector<const Node*> conds_of(const graph::Region& region) {
  std::vector<const Node*> out;
  for (const Node* node : region.nodes) {
    if (node->op == &graph::kCond) out.push_back(node);
  }
  return out;
}

// Traces the gradient of a sum over a conditional with two functions of f32[3] and a captured w
// f32[3].
graph::Program gradient_of(const std::function<Value(Value x, Value w)>& if_true,
                           const std::function<Value(Value x, Value w)>& if_false) {
  return graph::trace({{pred, {}}, {f32, {3}}, {f32, {3}}}, [&](Args args) {
    auto fn = [&](Value x, Value w) {
      auto first = [&](Args a) { return Values{if_true(a[0], w)}; };
      auto second = [&](Args a) { return Values{if_false(a[0], w)}; };
      return reduce_sum(cond(args[0], first, second, Values{x})[0], {0});
    };
    return grad(fn, args.subspan(1));
  });
}

// Returns the number of results of the forward conditional besides that of the function.
std::size_t num_kept(const graph::Program& program) {
  return conds_of(*program.main).at(0)->types.size() - 1;
}

TEST(Cond, KeepsOnlyWhatBranchesCompute) {
  auto product = [](Value x, Value w) { return x * w; };
  EXPECT_EQ(num_kept(gradient_of(product, product)), 0u);
  // exp(x) is the result of the branch, so it is kept as such.
  EXPECT_EQ(num_kept(gradient_of([](Value x, Value) { return exp(x); }, product)), 0u);
}

TEST(Cond, BranchesShareThePlacesOfWhatTheyKeep) {
  auto one = [](Value x, Value w) { return exp(x) * w; };
  auto two = [](Value x, Value w) { return exp(x) * tanh(w); };
  EXPECT_EQ(num_kept(gradient_of(one, one)), 1u);
  EXPECT_EQ(num_kept(gradient_of(one, two)), 2u);
  EXPECT_EQ(num_kept(gradient_of(two, one)), 2u);
}

TEST(Cond, GivesNoGradientToWhatNoBranchSendsOneTo) {
  auto stopped = [](Value x, Value w) { return x * graph::stop_gradient(exp(w)); };
  graph::Program program = gradient_of(stopped, stopped);
  EXPECT_EQ(conds_of(*program.main).at(1)->types.size(), 1u);
}

TEST(Cond, NamesTheOpInABranchThatHasNoGradient) {
  auto good = [](Value x, Value) { return x; };
  const std::string message =
      message_of([&] { gradient_of(good, [](Value x, Value w) { return next_after(x, w); }); });
  EXPECT_THAT(message, HasSubstr("next_after: has no gradient"));
  EXPECT_THAT(message, HasSubstr("while differentiating cond"));
}

// True if the region or a nested one contains this op.
bool holds(const graph::Region& region, const graph::OpDef& op) {
  for (const Node* node : region.nodes) {
    if (node->op == &op) return true;
    for (const graph::Region* inner : node->regions) {
      if (holds(*inner, op)) return true;
    }
  }
  return false;
}

TEST(Cond, WhereDevicesDisagreeGradientsAreSummedOutsideOfTheBranches) {
  mesh::AxisSet data = mesh::AxisSet::of(0);
  graph::Tracer tracer({.mesh = mesh::Mesh({{"data", 2}})});
  std::vector<graph::Type> types = {graph::Type(pred, {}, data), graph::Type(f32, {3}, data),
                                    graph::Type(f32, {3}), graph::Type(f32, {3})};
  graph::Region& region = tracer.trace_region(types, [&](Args args) {
    auto fn = [&](Value w, Value b) {
      auto first = [&](Args a) {
        return Values{exp(a[0] * w) * exp(graph::constant(1, f32, {3}))};
      };
      auto second = [&](Args a) { return Values{a[1] * tanh(w)}; };
      return reduce_sum(cond(args[0], first, second, Values{args[1], b})[0], {0});
    };
    Values gradients = grad(fn, args.subspan(2));
    for (const Value& gradient : gradients)
      EXPECT_TRUE(gradient.type().varying.empty());
    return gradients;
  });
  EXPECT_TRUE(holds(region, graph::kAllReduceSum));
  for (const Node* node : conds_of(region)) {
    for (const graph::Region* branch : node->regions)
      EXPECT_FALSE(holds(*branch, graph::kAllReduceSum));
  }
}

Value doubled_up_to_nine(Value x) {
  return graph::while_loop([](Args c) { return c[0] < 9; }, [](Args c) { return Values{c[0] * 2}; },
                           Values{x})[0];
}

TEST(While, HasNoGradientAndNamesScan) {
  const std::string message = message_of([] {
    graph::trace({{f32, {}}}, [](Args args) { return Values{grad(doubled_up_to_nine, args[0])}; });
  });
  EXPECT_THAT(message, HasSubstr("while_loop: has no gradient"));
  EXPECT_THAT(message, HasSubstr("use scan"));
  EXPECT_THAT(message, HasSubstr("while differentiating while_loop"));
}

}  // namespace
}  // namespace meshwright::autodiff
