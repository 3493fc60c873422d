// SPDX-License-Identifier: Apache-2.0
// Every use of an op that tracing accepts also compiles and runs, in every dtype.
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "every_op.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::graph {
namespace {

const std::map<const OpDef*, std::string_view> kNotRun = {
    {&kArgument, "not an operation: a name for an input"},
    {&kCustomCall, "hands any dtype to a function of which the test knows nothing"},
    {&kEffectfulCustomCall, "likewise"},
};

// The input is the matrix 0, 1, 2, 3, cast to each dtype.
constexpr std::int64_t kSize = 4;

HostTensor numbers() {
  HostTensor tensor({f32, {kSize, kSize}});
  std::span<float> values = tensor.mutable_values<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % kSize);
  return tensor;
}

// Narrow integers and booleans are cast, since programs cannot return them.
Value readable(Value x) {
  return bit_width(x.dtype()) < 8 || x.dtype() == DType::pred ? cast(x, s32) : x;
}

void collect(const Region& region, std::set<const OpDef*>& ops) {
  for (const Node* node : region.nodes) {
    ops.insert(node->op);
    for (const Region* body : node->regions)
      collect(*body, ops);
  }
}

/// A program of the uses that accept the dtype.
class Trial {
 public:
  Trial(DType dtype, const std::vector<OpUse>& uses) : tracer_({.mesh = mesh::Mesh({{"d", 8}})}) {
    Value x = tracer_.argument({f32, {kSize, kSize}});
    for (const OpUse& use : uses) {
      try {
        for (Value result : use.build(cast(x, dtype)))
          results_.push_back(readable(result));
        accepted.push_back(use);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << use.name << ": " << error.what();
      }
    }
  }

  Program program() { return tracer_.finish(results_); }

  std::vector<OpUse> accepted;

 private:
  Tracer tracer_;
  std::vector<Value> results_;
};

/// Returns the error; empty if there is none.
std::string run(const Program& program) {
  try {
    // Optimization by LLVM takes most of the time and does not affect whether it compiles.
    runtime::CompileOptions options;
    options.debug_options["xla_backend_optimization_level"] = std::int64_t{0};
    runtime::run(runtime::test_client().compile(program, options), {numbers()});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(EveryDtype, ThatAnOpAcceptsCompilesAndRuns) {
  std::set<const OpDef*> ops;
  std::set<std::string> accepted;
  for (DType dtype : kAllDTypes) {
    Trial all(dtype, every_op());
    Program program = all.program();
    collect(*program.main, ops);
    for (const OpUse& use : all.accepted)
      accepted.insert(use.name);
    if (run(program).empty()) continue;
    for (const OpUse& use : all.accepted) {  // find the failing use
      std::string fault = run(Trial(dtype, {use}).program());
      EXPECT_EQ(fault, "") << use.name << " of " << dtype_name(dtype);
    }
  }
  for (const OpUse& use : every_op())
    EXPECT_TRUE(accepted.contains(use.name)) << use.name << " accepts no dtype";
  for (const OpDef* op : kAllOps)
    EXPECT_NE(ops.contains(op), kNotRun.contains(op)) << op->name;
}

}  // namespace
}  // namespace meshwright::graph
