// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/while.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

const mesh::Mesh kMesh({{"d", 2}, {"t", 4}});

void log_value(Value x) {
  custom_call("log_value", {x}, {.has_side_effect = true});
}

// The text of a program that runs `body` on f32[8] and returns only its argument.
std::string text_of(const std::function<void(Value)>& body) {
  Tracer tracer;
  Value x = tracer.argument({f32, {8}});
  body(x);
  return write_stablehlo(tracer.finish({x}));
}

TEST(SideEffects, InBodiesStayThoughNobodyUsesTheResults) {
  auto logging = [](Args args) {
    log_value(args[0]);
    return Values{args[0] * 2};
  };
  EXPECT_THAT(text_of([&](Value x) {
                cond(
                    reduce_sum(x, {0}) < 0, logging, [](Args a) { return Values{a[0]}; },
                    Values{x});
              }),
              AllOf(HasSubstr("stablehlo.if"), HasSubstr("log_value")));
  EXPECT_THAT(text_of([&](Value x) {
                while_loop([](Args a) { return reduce_sum(a[0], {0}) < 9; }, logging, Values{x});
              }),
              AllOf(HasSubstr("stablehlo.while"), HasSubstr("log_value")));
  EXPECT_THAT(text_of([&](Value x) {
                auto nested = [&](Args args) {
                  return cond(
                      reduce_sum(args[0], {0}) < 0, logging, [](Args a) { return Values{a[0]}; },
                      args);
                };
                while_loop([](Args a) { return reduce_sum(a[0], {0}) < 9; }, nested, Values{x});
              }),
              AllOf(HasSubstr("stablehlo.if"), HasSubstr("log_value")));
}

TEST(SideEffects, BodiesWithoutThemAreStillLeftOut) {
  EXPECT_THAT(text_of([](Value x) {
                while_loop([](Args a) { return reduce_sum(a[0], {0}) < 9; },
                           [](Args a) { return Values{a[0] * 2}; }, Values{x});
              }),
              Not(HasSubstr("stablehlo.while")));
}

// The message for a region over the whole mesh whose body sums a shard of "rows/d cols/t" over
// `summed` and decides by the sum whether to call `branch`.
std::string message_of_cond(const MeshAxes& summed, const std::function<Value(Value)>& branch) {
  return message_of([&] {
    Tracer tracer({.mesh = kMesh});
    Value x = tracer.argument({f32, {8, 8}});
    manual({{x, "rows/d cols/t"}}, {"rows/d cols/t"}, [&](Args parts) {
      Value total = all_reduce(reduce_sum(parts[0], {0, 1}), summed);
      return cond(
          total < 0, [&](Args a) { return Values{a[0] + branch(a[0])}; },
          [](Args a) { return Values{a[0]}; }, parts);
    });
  });
}

Value sum_along_t(Value x) {
  return all_reduce(reduce_sum(x, {0, 1}), {"t"});
}

TEST(DivergentBranches, MustNotHoldCollectivesAlongTheAxesTheyDifferOn) {
  EXPECT_THAT(message_of_cond({}, sum_along_t),
              AllOf(HasSubstr("cond: devices along mesh axes t decide independently whether to run "
                              "if_true, but its all_reduce_sum (effects_test.cc:"),
                    HasSubstr("would wait forever (effects_test.cc:"),
                    HasSubstr(")\ncommunicate before it")));
  EXPECT_THAT(message_of_cond({"d"}, sum_along_t), HasSubstr("would wait forever"));
  EXPECT_THAT(message_of_cond({}, [](Value x) { return ring_shift(x, {"d"}); }),
              HasSubstr("its permute"));
}

TEST(DivergentBranches, MayHoldCollectivesAlongOtherAxes) {
  EXPECT_EQ(message_of_cond({"t"}, sum_along_t), message_of([] {}));
  EXPECT_EQ(message_of_cond({"d", "t"}, sum_along_t), message_of([] {}));
}

TEST(DivergentBranches, AreFoundInBodiesOfBodies) {
  auto nested = [](Value x) {
    return while_loop(
        [](Args a) {
          return all_reduce(reduce_sum(a[0], {0, 1}), {"d", "t"}) < 9;
        },
        [](Args a) { return Values{a[0] * 2}; }, Values{x})[0];
  };
  EXPECT_THAT(message_of_cond({"d"}, nested), HasSubstr("its all_reduce_sum"));
}

// Shifts along t until a sum over `deciding` is large enough.
std::string message_of_loop(const MeshAxes& deciding) {
  return message_of([&] {
    Tracer tracer({.mesh = kMesh});
    Value x = tracer.argument({f32, {8, 8}});
    manual({{x, "rows/d cols/t"}}, {"rows/d cols/t"}, [&](Args parts) {
      auto more = [&](Args a) { return all_reduce(reduce_sum(a[0], {0, 1}), deciding) < 9; };
      return while_loop(
          more, [](Args a) { return Values{ring_shift(a[0], {"t"})}; }, parts);
    });
  });
}

TEST(DivergentLoops, MustNotHoldCollectives) {
  EXPECT_THAT(message_of_loop({"d"}), AllOf(HasSubstr("while_loop"), HasSubstr("its permute")));
  EXPECT_EQ(message_of_loop({"t"}), message_of([] {}));
}

}  // namespace
}  // namespace meshwright::graph
