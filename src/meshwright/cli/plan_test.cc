// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/plan_choices.h"
#include "meshwright/runtime/named_topology.h"

namespace meshwright::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Printed {
  int code = -1;
  std::string out;
};

Printed run_plan(const Args& args) {
  Printed ran;
  testing::internal::CaptureStdout();
  try {
    ran.code = plan_command("plan")(args);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  ran.out = testing::internal::GetCapturedStdout();
  return ran;
}

class PlanTest : public testing::Test {
 protected:
  // A language model on a mesh of `axes`, whose weights take 4 * 3 * 16 * layers MB with Adam.
  std::string config(const std::string& axes, int layers = 4) const {
    std::string path = folder_.path() / "model.toml";
    std::ofstream(path) << str(R"(
dir = "runs/unused"
max_step = 100
num_microbatches = 2
[task]
type = "lm"
compute_dtype = "bf16"
[task.model]
style = "llama"
vocab = 1024
layers = )",
                               layers, R"(
embed = 1024
kv = 8
q = 1
dim = 128
mlp = 4096
stack = "scanned"
remat = "dots"
[data]
type = "random_tokens"
batch_size = 64
length = 1024
vocab_size = 1024
[optimizer]
type = "adamw"
learning_rate = { type = "warmup_cosine", peak = 3e-4, warmup = 10 }
[mesh]
num_devices = 8
axes = )",
                               axes, R"(
[sharding.params]
embed = "fsdp"
kv = "tensor"
mlp = "tensor"
[sharding.activations]
batch = "fsdp"
kv = "tensor"
mlp = "tensor"
)");
    return path;
  }

  static Plan plan(const std::string& config, const std::string& topology) {
    return make_plan({config}, runtime::named_topology(topology), std::chrono::hours(1));
  }

  TemporaryFolder folder_;
};

TEST_F(PlanTest, CountsTheStateOfADevice) {
  const Plan found = plan(config("{ fsdp = 8, tensor = 1 }"), "h100:8");
  const train::PlannedMemory& memory = found.rows.front().estimate.memory;
  // 4 layers of 4 * 1024^2 + 3 * 1024 * 4096, two tables of 1024^2, and the scales of 9 norms.
  const std::int64_t num_params = 4 * 16 * (1 << 20) + 2 * (1 << 20) + 9 * 1024;
  EXPECT_EQ(memory.params, num_params * 4 / 8);
  EXPECT_NEAR(static_cast<double>(memory.optimizer), static_cast<double>(2 * memory.params), 1000);
  EXPECT_GT(memory.kept, 0);
}

TEST_F(PlanTest, WeighsMeshesRematAndMicrobatches) {
  const Plan found = plan(config("{ fsdp = 4, tensor = 2 }"), "h100:8");
  std::set<std::string> meshes, policies;
  std::set<std::int64_t> microbatches;
  for (const PlanRow& row : found.rows) {
    meshes.insert(to_string(row.mesh));
    policies.insert(row.remat);
    microbatches.insert(row.num_microbatches);
  }
  EXPECT_THAT(meshes, ElementsAre("fsdp=1,tensor=8", "fsdp=2,tensor=4", "fsdp=4,tensor=2",
                                  "fsdp=8,tensor=1"));
  EXPECT_THAT(policies,
              ElementsAre("dots", "none", "nothing", "nothing, attention", "qkv, attention"));
  EXPECT_THAT(microbatches, ElementsAre(1, 2, 4, 8, 16));
  EXPECT_TRUE(found.rows.front().changes.empty());
  const auto slower = [](const PlanRow& a, const PlanRow& b) {
    return a.estimate.time.total() < b.estimate.time.total();
  };
  EXPECT_TRUE(std::is_sorted(found.rows.begin() + 1, found.rows.end(), slower));
}

TEST_F(PlanTest, LeavesOutMeshesAcrossTheLinksOfATorus) {
  const CapturedLog log;
  const Plan found = plan(config("{ fsdp = 16, tensor = 4 }"), "v5p:4x4x4");
  std::set<std::string> meshes;
  for (const PlanRow& row : found.rows)
    meshes.insert(to_string(row.mesh));
  EXPECT_THAT(meshes, ElementsAre("fsdp=16,tensor=4", "fsdp=64,tensor=1"));
  EXPECT_EQ(log.text(), "");
}

TEST_F(PlanTest, MoreMicrobatchesAndRematTakeLessMemory) {
  const Plan found = plan(config("{ fsdp = 8, tensor = 1 }"), "v5e:8");
  const auto bytes = [&](const std::string& remat, std::int64_t num_microbatches) {
    for (const PlanRow& row : found.rows)
      if (row.remat == remat && row.num_microbatches == num_microbatches &&
          to_string(row.mesh) == "fsdp=8,tensor=1")
        return row.bytes();
    return std::int64_t{-1};
  };
  EXPECT_GT(bytes("dots", 1), bytes("dots", 2));
  EXPECT_GT(bytes("dots", 2), bytes("dots", 4));
  EXPECT_GT(bytes("none", 2), bytes("dots", 2));
  EXPECT_GT(bytes("dots", 2), bytes("nothing", 2));
  EXPECT_GT(bytes("nothing, attention", 2), bytes("nothing", 2));
}

TEST_F(PlanTest, SaysWhatWouldFit) {
  const std::string large = config("{ fsdp = 8, tensor = 1 }", 40);
  const Printed ran =
      run_plan({large, "--topology", "v5e:8", "--compile", "0", "data.batch_size=512"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("the config does not fit: it needs "));
  EXPECT_THAT(ran.out, HasSubstr("this would fit: "));
  EXPECT_EQ(run_plan({large, "--topology", "v5p:8", "--compile", "0", "num_microbatches=8"}).code,
            0);
}

TEST_F(PlanTest, PrintsJson) {
  const Printed ran = run_plan(
      {config("{ fsdp = 8, tensor = 1 }"), "--topology", "h200:8", "--compile", "0", "--json"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr(R"("device":"NVIDIA H200","num_devices":8)"));
  EXPECT_THAT(ran.out,
              HasSubstr(R"("mesh":"fsdp=8,tensor=1","remat":"dots","num_microbatches":2)"));
}

TEST_F(PlanTest, ReportsMistakes) {
  const std::string path = config("{ fsdp = 8, tensor = 1 }");
  EXPECT_THAT(thrown_by([&] { run_plan({path}); }).message(), HasSubstr("--topology NAME"));
  EXPECT_THAT(thrown_by([&] {
                run_plan({path, "--topology", "v9:8"});
              }).message(),
              HasSubstr("'v9:8' is not known"));
  EXPECT_THAT(thrown_by([&] {
                run_plan({path, "--topology", "h100:16"});
              }).message(),
              HasSubstr("mesh"));
  const std::string text = file_text(path);
  std::ofstream(path) << text.substr(0, text.find("[sharding.params]"));
  const Error few = thrown_by([&] { run_plan({path, "--topology", "h100:4", "mesh.axes=none"}); });
  EXPECT_THAT(few.message(),
              HasSubstr("the mesh (one device) has 1 device, and the topology has 4"));
}

}  // namespace
}  // namespace meshwright::cli
