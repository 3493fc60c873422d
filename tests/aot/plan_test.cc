// SPDX-License-Identifier: Apache-2.0
// Estimates of `meshwright plan` against the compiled programs of configs in configs/.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aot_testutil.h"
#include "meshwright/cli/plan_choices.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/runtime/named_topology.h"

namespace meshwright::cli {
namespace {

struct Case {
  const char* topology;
  Args config;
};

void expect_memory_within_a_tenth(const Case& one) {
  Plan plan = make_plan(one.config, runtime::named_topology(one.topology));
  PlanRow& row = plan.rows.front();
  compile_row(one.config, plan, row);
  ASSERT_TRUE(row.compiled_bytes.has_value());
  const auto estimated = static_cast<double>(row.estimate.memory.total());
  const auto compiled = static_cast<double>(*row.compiled_bytes);
  EXPECT_NEAR(estimated / compiled, 1, 0.1)
      << one.config[0] << ": " << estimated / 1e9 << " and " << compiled / 1e9 << " GB";
}

TEST(Plan, KnowsTheMemoryOnGpus) {
  if (!is_fetched("cuda")) GTEST_SKIP() << "no CUDA plugin; tools/fetch_xla cuda-compiler";
  for (const Case& one : std::vector<Case>{
           {"h100:8x8", {"llama_8b"}},
           {"h100:8x8", {"llama_8b", "task.model.remat=nothing"}},
           {"h100:8", {"fuji_1b"}},
           {"h100:8", {"fuji_1b", "task.model.remat=nothing", "num_microbatches=128"}},
           {"h100:8", {"gpt2_124m"}},
           {"h100:8", {"seqax_84m"}},
           {"h100:8", {"t5_small"}},
           {"h200:1", {"vit_s16"}}})
    expect_memory_within_a_tenth(one);
}

TEST(Plan, KnowsTheMemoryOnTpus) {
  if (!is_fetched("tpu")) GTEST_SKIP() << "no TPU plugin; tools/fetch_xla tpu";
  expect_memory_within_a_tenth({"v5p:2x2x1", {"seqax_84m"}});
  expect_memory_within_a_tenth({"v5e:4", {"gpt2_124m", "num_microbatches=10"}});
}

}  // namespace
}  // namespace meshwright::cli
