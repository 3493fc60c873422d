// SPDX-License-Identifier: Apache-2.0
// Continues from a checkpoint that AXLearn's trainer wrote after 7 steps.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "continued_run.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"

namespace meshwright::test_continued {
namespace {

namespace fs = std::filesystem;

void expect_state(const std::map<std::string, HostTensor>& arrays, int step, const char* file) {
  expect_floats(arrays, golden(str("axlearn/run/", file)));
  const HostTensor keys = golden("axlearn/run/keys.npy");
  const auto key = keys.values<std::uint32_t>().subspan(4 * static_cast<std::size_t>(step), 4);
  EXPECT_TRUE(std::ranges::equal(arrays.at("prng_key").values<std::uint32_t>(), key));
  for (const char* count : {"0/count", "1/count", "3/count"})
    EXPECT_EQ(arrays.at(str("learner/optimizer/1/", count)).values<std::int32_t>()[0], step);
}

// Rows of loss, weight and gradient norm.
void expect_metrics(const ContinuedRun& run, int first_step, int num_steps, const char* file) {
  const HostTensor expected = golden(str("axlearn/run/", file));
  for (int i = 0; i < num_steps; ++i) {
    const auto row = expected.values<float>().subspan(3 * static_cast<std::size_t>(i), 3);
    const int step = first_step + i;
    EXPECT_NEAR(run.metric(step, "loss"), row[0], 1e-6 * row[0]) << step;
    EXPECT_EQ(run.metric(step, "loss_weight"), row[1]) << step;
    EXPECT_NEAR(run.metric(step, "gradient_norm"), row[2], 2e-6 * row[2]) << step;
  }
}

// Four targets of step 13 are padding.
TEST(AxlearnRun, UpdatesFromItsCheckpointAreItsOwn) {
  const ContinuedRun run("axlearn");
  run.train(13);
  expect_state(run.arrays("step_00000010"), 10, "after_step_10.npy");
  expect_metrics(run, 8, 6, "metrics.npy");
}

TEST(AxlearnRun, ThreeUpdatesOnFourDevicesAreItsOwn) {
  const ContinuedRun run("axlearn");
  run.train(10, {"mesh.num_devices=4", "mesh.axes={ fsdp = 2, model = 2 }",
                 R"(sharding.params.embed="fsdp")", R"(sharding.params.kv="model")",
                 R"(sharding.params.mlp="model")", R"(sharding.activations.batch="fsdp")",
                 R"(sharding.activations.kv="model")", R"(sharding.activations.mlp="model")"});
  expect_state(run.arrays("step_00000010"), 10, "after_step_10.npy");
}

TEST(AxlearnRun, AnotherRunMayBeginWithItsWholeState) {
  const ContinuedRun run("axlearn");
  run.train_in("other", 10,
               {str("init_state.from=", run.checkpoints().string()), "init_state.all=true"});
  expect_state(run.arrays("step_00000010", "other"), 10, "after_step_10.npy");
}

TEST(AxlearnRun, ThreeUpdatesWithHeadsOfQueriesOnThreeDevicesAreItsOwn) {
  const ContinuedRun run("axlearn");
  run.train(10, {"mesh.num_devices=3", "mesh.axes={ model = 3 }", R"(sharding.params.q="model")",
                 R"(sharding.params.mlp="model")", R"(sharding.activations.q="model")"});
  expect_state(run.arrays("step_00000010"), 10, "after_step_10.npy");
}

TEST(AxlearnRun, GoesOnBitByBit) {
  const ContinuedRun run("axlearn");
  const ContinuedRun interrupted("axlearn");
  run.train(10);
  interrupted.train(9);
  interrupted.train(10);
  const auto found = interrupted.arrays("step_00000010");
  for (const auto& [name, array] : run.arrays("step_00000010"))
    EXPECT_TRUE(std::ranges::equal(found.at(name).bytes(), array.bytes())) << name;
}

// As in a run of AXLearn with threefry keys.
TEST(AxlearnRun, TakesAKeyOfTwoWords) {
  const ContinuedRun run("axlearn");
  const checkpoint::Location from = checkpoint::locate(run.checkpoints().string());
  checkpoint::Contents contents =
      checkpoint::read_contents(from.container->open(from.files, from.step().folder));
  const ArrayType type{u32, {2}};
  contents.arrays.at("prng_key").value() =
      checkpoint::ArrayParts{type, {{whole_ranges(type.dims), HostTensor(type)}}};
  const fs::path other = run.checkpoints("other");
  fs::create_directories(other);
  checkpoint::write_checkpoint(*from.format, io::open_file_system(other.string()), "", contents);
  run.train_in("other", 10, {});
  expect_floats(run.arrays("step_00000010", "other"), golden("axlearn/run/after_step_10.npy"));
}

TEST(AxlearnRun, SaysWhatDoesNotSuit) {
  EXPECT_THAT(ContinuedRun("axlearn").train(8, {"task.model.kv=1"}, 2),
              testing::HasSubstr("qkv_proj/weight' is f32[2,16,10,4]"));
}

TEST(AxlearnRun, WarnsOfAModelThatIsNoneOfFuji) {
  EXPECT_THAT(ContinuedRun("axlearn").train_in("other", 1, {"task.model.style=llama"}),
              testing::HasSubstr("axlearn has no model like this one"));
}

// AXLearn restored our step 9 with its strictest check and continued to step 12.
TEST(AxlearnRun, ItsThreeUpdatesFromOurCheckpointAreOurs) {
  const ContinuedRun run("axlearn");
  run.train(12);
  expect_state(run.arrays("step_00000012"), 12, "after_step_12.npy");
  expect_metrics(run, 10, 3, "metrics_after_ours.npy");
}

// AXLearn's strictest check compares the index of a checkpoint with that of its own state.
TEST(AxlearnRun, OurIndexIsItsOwn) {
  const ContinuedRun run("axlearn");
  run.train(8);
  auto entries = [&](const char* step) {
    const JsonValue index = parse_json(file_text(run.checkpoints() / step / "index"), "index");
    std::map<std::string, std::string> out;
    for (const JsonValue& entry : index.as_array())
      out[entry.as_array()[0].as_text()] = to_string(entry.as_array()[1]);
    EXPECT_EQ(out.erase("step"), 1U);
    return out;
  };
  EXPECT_EQ(entries("step_00000008"), entries("step_00000007"));
}

}  // namespace
}  // namespace meshwright::test_continued
