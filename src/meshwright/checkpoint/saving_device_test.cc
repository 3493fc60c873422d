// SPDX-License-Identifier: Apache-2.0
// Saving a state on devices while later steps reuse its memory.
#include <algorithm>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/gated_files_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::checkpoint {
namespace {

using runtime::DeviceArray;
using testing::HasSubstr;

const mesh::Mesh kMesh({{"data", 2}, {"model", 4}});
const mesh::Sharding kWhole = mesh::Sharding::replicated();
const mesh::Sharding kSplit{{{"model"}}};
const ArrayType kType{f32, {64, 32}};
constexpr std::int64_t kNumBytes = sizeof(float) * 2 * 64 * 32;

// Two arrays, one of them sharded; a step adds 1 to each.
runtime::Executable make_step(bool donates) {
  graph::Tracer tracer({.mesh = kMesh});
  std::vector<graph::Value> results;
  std::vector<graph::ResultInfo> infos;
  for (const mesh::Sharding& sharding : {kWhole, kSplit}) {
    graph::ArgumentInfo info{.name = str("x", infos.size()), .sharding = sharding};
    if (donates) info.donated_to = static_cast<int>(infos.size());
    results.push_back(tracer.argument(kType, info) + 1.0F);
    infos.push_back({.name = info.name, .sharding = sharding});
  }
  return runtime::test_client().compile(tracer.finish(results, infos));
}

class Training {
 public:
  Training() {
    for (const mesh::Sharding& sharding : {kWhole, kSplit}) {
      HostTensor value(kType);
      std::ranges::generate(value.mutable_values<float>(), [x = 0.0F]() mutable { return x++; });
      state_.push_back(runtime::test_client().put(value, kMesh, sharding));
    }
  }

  void step() {
    const bool is_held = std::ranges::any_of(state_, &DeviceArray::is_held);
    num_held_steps += is_held ? 1 : 0;
    state_ = (is_held ? holding_ : donating_)(std::move(state_));
    ++num_steps;
  }
  SaveRequest request() const {
    Tree<DeviceArray> arrays;
    arrays["whole"] = state_[0];
    arrays["split"] = state_[1];
    return {.step = num_steps, .arrays = std::move(arrays), .must_save = true};
  }

  std::int64_t num_steps = 0;
  int num_held_steps = 0;

 private:
  runtime::Executable donating_ = make_step(true);
  runtime::Executable holding_ = make_step(false);
  std::vector<DeviceArray> state_;
};

void expect_state_of_step(const Contents& contents) {
  for (const char* name : {"whole", "split"}) {
    const HostTensor value = assemble(contents.arrays.at(name).value());
    ASSERT_EQ(value.type(), kType);
    float wanted = static_cast<float>(contents.step);
    for (const float x : value.values<float>())
      ASSERT_EQ(x, wanted++) << name << " of step " << contents.step;
  }
}

std::int64_t peak_bytes(const Manager& manager) {
  return static_cast<std::int64_t>(manager.staging().peak_bytes());
}

struct Case {
  const char* name;
  SaveOptions saving;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class SavingDevice : public testing::TestWithParam<std::tuple<std::string, Case>> {
 protected:
  ManagerOptions options(Files files) const {
    return {.folder = "memory",
            .format = std::get<0>(GetParam()),
            .retention = {.keep_last_n = {}},
            .saving = saving(),
            .files = std::move(files)};
  }
  const SaveOptions& saving() const { return std::get<1>(GetParam()).saving; }
  bool may_block() const { return saving().staging_bytes.value_or(kNumBytes) < kNumBytes; }

  Files memory = std::make_shared<io::MemoryFileSystem>();
  Gate gate;
  std::string log;
  ScopedLogHandler handler{[this](Severity, std::string_view text) { log += text; }};
};

TEST_P(SavingDevice, EveryStepIsSavedAsItWasWhileTrainingGoesOn) {
  Training run;
  Manager manager(options(memory));
  for (int i = 0; i < 12; ++i) {
    run.step();
    if (i % 3 == 0) manager.save(run.request());
  }
  manager.finish();
  EXPECT_EQ(manager.steps(), (std::vector<std::int64_t>{1, 4, 7, 10}));
  for (const std::int64_t step : manager.steps())
    expect_state_of_step(manager.restore(step));
  const bool holds = saving().snapshot == SnapshotKind::hold;
  EXPECT_LE(peak_bytes(manager), holds ? 0 : saving().staging_bytes.value_or(kNumBytes));
}

// The disk stalls, and training takes 20 steps.
TEST_P(SavingDevice, TrainingGoesOnWhileTheDiskStandsStill) {
  if (may_block()) return;  // covered by the next test
  Training run;
  Manager manager(options(gate.files(memory)));
  gate.close();
  manager.save(run.request());
  gate.wait_for_caller();
  for (int i = 0; i < 20; ++i) {
    manager.poll();
    run.step();
  }
  EXPECT_TRUE(manager.is_saving());
  EXPECT_EQ(run.num_held_steps, saving().snapshot == SnapshotKind::hold ? 1 : 0);
  gate.open();
  manager.finish();
  expect_state_of_step(manager.restore(0));
}

TEST_P(SavingDevice, WaitsForWhatThereIsNoRoomForAndSaysSoOnce) {
  if (!may_block()) return;
  Training run;
  Manager manager(options(gate.files(memory)));
  gate.close();
  std::promise<void> returned;
  std::future<void> has_returned = returned.get_future();
  std::future<void> saving = std::async(std::launch::async, [&] {
    manager.save(run.request());
    returned.set_value();
  });
  gate.wait_for_caller();
  EXPECT_NE(has_returned.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  gate.open();
  saving.get();
  EXPECT_THAT(log, HasSubstr("training waits until "));
  log.clear();
  manager.wait();
  run.step();
  EXPECT_EQ(run.num_held_steps, 0);
  manager.save(run.request());
  manager.finish();
  EXPECT_EQ(log, "");
  for (const std::int64_t step : manager.steps())
    expect_state_of_step(manager.restore(step));
}

TEST_P(SavingDevice, StagingMemoryDoesNotGrow) {
  Training run;
  Manager manager(options(memory));
  manager.save(run.request());
  manager.wait();
  const std::uint64_t num_bytes = manager.staging().num_bytes();
  for (int i = 0; i < 5; ++i) {
    run.step();
    manager.save(run.request());
    manager.wait();
  }
  EXPECT_EQ(manager.staging().num_bytes(), num_bytes);
  EXPECT_EQ(manager.staging().peak_bytes(), num_bytes);
}

constexpr Case kCases[] = {{"copy", {}},
                           {"hold", {.snapshot = SnapshotKind::hold}},
                           {"half", {.staging_bytes = kNumBytes / 2}},
                           {"nothing", {.staging_bytes = 0}},
                           {"replicas", {.replica_parallel = true}}};

INSTANTIATE_TEST_SUITE_P(Ways,
                         SavingDevice,
                         testing::Combine(testing::ValuesIn(format_names()),
                                          testing::ValuesIn(kCases)),
                         [](const auto& param) {
                           return str(std::get<0>(param.param), "_", std::get<1>(param.param).name);
                         });

// A state cannot be held until the other step is compiled.
TEST(Saving, CopiesWhatMayNotBeHeld) {
  Training run;
  Manager manager({.folder = "memory",
                   .saving = {.snapshot = SnapshotKind::hold},
                   .files = std::make_shared<io::MemoryFileSystem>()});
  SaveRequest request = run.request();
  request.may_hold = false;
  manager.save(std::move(request));
  EXPECT_EQ(peak_bytes(manager), kNumBytes);
  run.step();
  EXPECT_EQ(run.num_held_steps, 0);
  manager.finish();
}

}  // namespace
}  // namespace meshwright::checkpoint
