// SPDX-License-Identifier: Apache-2.0
// Runs that compute updates twice.
#include <algorithm>
#include <atomic>
#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_call.h"
#include "meshwright/train/report/time_account.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// y = x, with one bit flipped in one of the calls.
struct Flaky {
  static constexpr std::string_view kName = "mw_test_flaky";
  static constexpr int kAbiVersion = 1;
  static inline std::atomic<int> calls, bad_call;
  static void run(pjrt::KernelCall& call) {
    std::ranges::copy(call.input(0).values<float>(), call.output(0).values<float>().begin());
    float& y = call.output(0).values<float>()[0];
    if (++calls == bad_call) y = std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) ^ 0x10000U);
  }
};

class UpdateCheckTest : public testing::Test {
 protected:
  UpdateCheckTest() {
    caching_client().add_kernel(pjrt::kernel<Flaky>());
    Flaky::calls = Flaky::bad_call = 0;
  }
  Job job(const std::string& name) const {
    Job out = line_job(root_.path() / name);
    out.config.sdc_check.every_n_steps = 4;
    return out;
  }
  // Without evaluations, so that only updates call the kernel.
  Job flaky_job(const std::string& name) const {
    Job out = job(name);
    out.task = std::make_shared<KernelLineTask>(Flaky::kName);
    out.config.evaluators.clear();
    out.eval_sources.clear();
    return out;
  }
  Outcome train(const Job& job) { return run(job, caching_client()); }
  std::uint32_t digest(const std::string& name) const {
    return digest_of_newest(root_.path() / name);
  }

  io::TemporaryFolder root_;
  CapturedLog log_;
};

TEST_F(UpdateCheckTest, WarnsOfABitThatDiffers) {
  train(flaky_job("sound"));
  EXPECT_THAT(log_.text(), Not(HasSubstr("computed twice")));
  EXPECT_EQ(Flaky::calls.load(), 8 + 2);
  Flaky::calls = 0;
  Flaky::bad_call = 9;  // first computation of step 8; the second is kept
  train(flaky_job("hit"));
  EXPECT_THAT(
      log_.text(),
      AllOf(HasSubstr("step 8: its update was computed twice"), HasSubstr("bits differ: loss "),
            HasSubstr(" arrays of the state: "), HasSubstr("model/line/w"),
            Not(HasSubstr("num_skipped")), HasSubstr("found equal bits: step 4")));
  EXPECT_EQ(digest("hit"), digest("sound"));
}

TEST_F(UpdateCheckTest, EndsTheRunIfAsked) {
  Flaky::bad_call = 5;
  Job job = flaky_job("run");
  job.config.sdc_check.action = OnDifference::stop;
  const Error error = thrown_by([&] { train(job); });
  EXPECT_EQ(error.code(), ErrorCode::device);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("step 4"), HasSubstr("found equal bits: none")));
  // No possibly damaged state was saved.
  checkpoint::Manager manager({.folder = root_.path() / "run" / "checkpoints"});
  EXPECT_EQ(manager.steps().back(), 2);
}

TEST_F(UpdateCheckTest, ChangesNothing) {
  const Placement spread{.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 4}}),
                         .params = {{"feature", {"fsdp"}}},
                         .activations = {{"batch", {"data", "fsdp"}}}};
  for (const bool is_spread : {false, true}) {
    for (const auto snapshot : {checkpoint::SnapshotKind::copy, checkpoint::SnapshotKind::hold}) {
      const std::string name = str("run_", is_spread, "_", static_cast<int>(snapshot));
      Job checked = job(name), plain = job(name + "_plain");
      plain.config.sdc_check = {};
      checked.config.sdc_check.every_n_steps = 1;
      for (Job* each : {&checked, &plain}) {
        each->config.checkpoint.saving.snapshot = snapshot;
        if (is_spread) each->placement = spread;
        train(*each);
      }
      EXPECT_EQ(digest(name), digest(name + "_plain")) << name;
      EXPECT_GT(last_told(*io::open_file_system((root_.path() / name).string()),
                          "metrics.jsonl")[Spent::checking],
                0);
    }
  }
  EXPECT_THAT(log_.text(), Not(HasSubstr("computed twice")));
}

}  // namespace
}  // namespace meshwright::train
