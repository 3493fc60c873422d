// SPDX-License-Identifier: Apache-2.0
// Every op must be reached by at least one parity case, or be listed here with the reason.
#include <map>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "case.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::parity {
namespace {

using graph::OpDef;
using graph::Region;

const std::map<const OpDef*, std::string_view> kNotCompared = {
    {&graph::kSelectAndScatter, "the gradient of window_max and window_min, compared there"},
    {&graph::kSelectAndGather, "the second gradient of window_max: checked by differences"},
    {&graph::kToHost, "moves an array, which changes no element"},
    {&graph::kToDevice, "likewise"},
    {&graph::kArgument, "not an operation: a name for an input"},
    {&graph::kCustomCall, "runs code that JAX does not have; tested with the runtime's kernels"},
    {&graph::kEffectfulCustomCall, "likewise"},
};

void collect(const Region& region, std::set<const OpDef*>& ops) {
  for (const graph::Node* node : region.nodes) {
    ops.insert(node->op);
    for (const Region* body : node->regions)
      collect(*body, ops);
  }
}

graph::Program trace_case(const Case& c, DType dtype) {
  std::vector<ArrayType> types;
  for (const HostTensor& argument : draw_arguments(c, dtype, 0))
    types.push_back(argument.type());
  return graph::trace(types, [&](std::span<const Value> args) { return c.build(args); },
                      {.mesh = mesh_of(c)});
}

TEST(ParityCases, ReachEveryOp) {
  std::set<const OpDef*> reached;
  for (const Case& c : all_cases())
    collect(*place_kernels(trace_case(c, c.dtypes[0]), "").main, reached);
  for (const OpDef* op : graph::kAllOps) {
    bool listed = kNotCompared.contains(op);
    EXPECT_TRUE(listed || reached.contains(op)) << op->name << " has no parity case";
    EXPECT_FALSE(listed && reached.contains(op)) << op->name << " is listed but has a case";
  }
}

TEST(ParityCases, HaveDistinctNamesAndTraceInEveryDtype) {
  std::set<std::string> names;
  for (const Case& c : all_cases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " appears twice";
    for (DType dtype : c.dtypes)
      EXPECT_NO_THROW(trace_case(c, dtype)) << c.name << " in " << dtype_name(dtype);
  }
}

TEST(DrawArguments, DependOnlyOnCaseDtypeAndSeed) {
  Case c = all_cases().front();
  auto bytes = [&](DType dtype, std::uint64_t seed) {
    HostTensor first = draw_arguments(c, dtype, seed)[0];
    return std::vector<std::byte>(first.bytes().begin(), first.bytes().end());
  };
  EXPECT_EQ(bytes(f32, 1), bytes(f32, 1));
  EXPECT_NE(bytes(f32, 1), bytes(f32, 2));
}

}  // namespace
}  // namespace meshwright::parity
