// SPDX-License-Identifier: Apache-2.0
// Compares every differentiable op with finite differences in f64, on the cases that are also
// compared with JAX.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../parity/case.h"
#include "meshwright/graph/ops/all_ops.h"
#include "numbers_testutil.h"

namespace meshwright::autodiff {
namespace {

using parity::Arg;
using parity::Case;

const std::map<std::string_view, std::string_view> kNotChecked = {
    {"stop_gradient", "has no gradient on purpose"},
    {"custom_gradient", "has another gradient on purpose"},
    {"constant", "adds 7e8, beside which a difference loses its digits"},
    {"gather_of_nan", "gives NaN, from which there are no differences"},
    {"reduce_precision", "a staircase whose gradient is that of the line through it"},
    {"cast-through-f8e4m3fn", "likewise"},
    {"cast-through-f8e5m2", "likewise"},
};

// Integers in float arrays are placed on kinks and steps on purpose.
bool stands_on_a_kink(const Case& c) {
  return std::ranges::any_of(
      c.args, [](const Arg& arg) { return arg.kind == Arg::Kind::integers && !arg.dtype; });
}

graph::Program trace_case(const Case& c) {
  std::vector<ArrayType> types;
  for (const HostTensor& arg : parity::draw_arguments(c, f64, 1))
    types.push_back(arg.type());
  return graph::trace(types, c.build, {.mesh = parity::mesh_of(c)});
}

bool gives_f64(const Case& c) {
  return std::ranges::any_of(trace_case(c).main->results,
                             [](const Value& result) { return result.dtype() == f64; });
}

std::vector<Case> checked_cases() {
  std::vector<Case> all = parity::all_cases();
  std::vector<Case> chosen;
  for (Case& c : all) {
    if (!c.gradient || kNotChecked.contains(c.name)) continue;
    if (stands_on_a_kink(c) || !gives_f64(c)) continue;
    c.many = 3;  // among many random numbers, one is close to a kink
    chosen.push_back(std::move(c));
  }
  return chosen;
}

// GoogleTest allows letters, digits and underscores.
std::string name_of_test(const Case& c) {
  std::string name = c.name;
  std::ranges::replace_if(
      name, [](unsigned char letter) { return !std::isalnum(letter); }, '_');
  return name;
}

class EveryOp : public testing::TestWithParam<Case> {};

TEST_P(EveryOp, HasTheGradientThatDifferencesGive) {
  const Case& c = GetParam();
  CheckGradOptions options{.num_directions = 1, .max_elements = 0, .order = 2};
  options.mesh = parity::mesh_of(c);
  EXPECT_EQ(gradient_error(c.build, parity::draw_arguments(c, f64, 1), options), "");
}

INSTANTIATE_TEST_SUITE_P(, EveryOp, testing::ValuesIn(checked_cases()), [](const auto& test) {
  return name_of_test(test.param);
});

const std::map<const graph::OpDef*, std::string_view> kNotReached = {
    {&graph::kCustomGradient, "has another gradient on purpose"},
    {&graph::kReducePrecision, "a staircase whose gradient is that of the line through it"},
    {&graph::kSelectAndScatter, "the gradient of window_max, whose second order is checked"},
    {&graph::kSelectAndGather, "the second gradient of window_max"},
    {&graph::kToHost, "passes the cotangent on; see remat_test.cc"},
    {&graph::kToDevice, "likewise"},
    {&graph::kWhile, "has none, and says so in words of its own"},
};

void collect(const graph::Region& region, std::set<const graph::OpDef*>& ops) {
  for (const graph::Node* node : region.nodes) {
    ops.insert(node->op);
    for (const graph::Region* body : node->regions)
      collect(*body, ops);
  }
}

TEST(EveryOpCases, ReachEveryOpThatHasAGradient) {
  std::set<const graph::OpDef*> reached;
  for (const Case& c : checked_cases())
    collect(*trace_case(c).main, reached);
  for (const graph::OpDef* op : graph::kAllOps) {
    if (op->vjp == graph::kZeroGradient || op->vjp == graph::kNoGradient) continue;
    EXPECT_NE(kNotReached.contains(op), reached.contains(op)) << op->name;
  }
}

TEST(EveryOpCases, AreWhatTheExceptionsName) {
  std::set<std::string_view> names;
  std::vector<Case> cases = parity::all_cases();
  for (const Case& c : cases)
    names.insert(c.name);
  for (const auto& [name, reason] : kNotChecked)
    EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace meshwright::autodiff
