// SPDX-License-Identifier: Apache-2.0
// Continuing from one of several checkpoints, and the handling of later ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Steps = std::vector<std::int64_t>;

// A run of eight steps with checkpoints 4, 6 and 8.
class RestoreStepTest : public testing::Test {
 protected:
  RestoreStepTest() { train(job()); }

  Outcome train(const Job& job) { return run(job, caching_client()); }
  fs::path folder() const { return folder_.path() / "run"; }
  Job job() const { return line_job(folder()); }
  Job back_to(std::int64_t step, bool goes_back = true) const {
    Job out = job();
    out.config.checkpoint.restore.step = step;
    out.goes_back = goes_back;
    return out;
  }

  Steps steps(const fs::path& run) const {
    return checkpoint::Manager({.folder = run / "checkpoints"}).steps();
  }
  std::uint32_t digest() const { return digest_of_newest(folder()); }

  void expect_refused(const Job& job, ErrorCode code, const std::string& why) {
    const std::uint32_t before = digest();
    const Error error = thrown_by([&] { train(job); });
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(why));
    EXPECT_EQ(steps(folder()), (Steps{4, 6, 8}));
    EXPECT_EQ(digest(), before);
    EXPECT_FALSE(fs::exists(folder() / "earlier.1"));
  }

  void damage(std::int64_t step) const {
    const fs::path checkpoint = folder() / "checkpoints" / str("step_0000000", step);
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(checkpoint)) {
      const bool is_array = file.path().parent_path() != checkpoint;
      if (is_array && file.is_regular_file() && file.path().filename().string()[0] != '.')
        fs::resize_file(file.path(), file.file_size() / 2);
    }
  }

  io::TemporaryFolder folder_;
  CapturedLog log_;
};

TEST_F(RestoreStepTest, NewerOnesAreRefusedOrMovedAside) {
  const std::uint32_t whole = digest();
  expect_refused(back_to(4, /*goes_back=*/false), ErrorCode::already_exists, "Job::goes_back");
  EXPECT_EQ(train(back_to(4)).step, 8);
  EXPECT_THAT(log_.text(), HasSubstr("restored the checkpoint of step 4"));
  EXPECT_EQ(digest(), whole);
  EXPECT_EQ(steps(folder()), (Steps{4, 6, 8}));
  EXPECT_EQ(steps(folder() / "earlier.1"), (Steps{6, 8}));
  EXPECT_EQ(digest_of_newest(folder() / "earlier.1"), whole);
  EXPECT_TRUE(fs::exists(folder() / "earlier.1" / "config.toml"));
}

TEST_F(RestoreStepTest, WhatIsNotThereOrDamagedEndsTheRun) {
  expect_refused(back_to(5), ErrorCode::no_checkpoint, "available steps: 4, 6, 8");
  damage(4);
  expect_refused(back_to(4), ErrorCode::no_checkpoint, "restore_step = 4: it is damaged");
  fs::remove_all(folder() / "checkpoints");
  EXPECT_THROW(train(back_to(4)), Error);
  EXPECT_FALSE(fs::exists(folder() / "checkpoints" / "step_00000008"));
}

TEST_F(RestoreStepTest, AnotherModelIsRefusedBeforeAnythingIsMoved) {
  Job other = back_to(4);
  other.learner.ema = optim::EmaOptions{.decay = optim::constant(0.5)};
  expect_refused(other, ErrorCode::invalid_argument, "learner/ema");
}

// As a scheduler restarts it after a preemption, with and without permission to go back.
TEST_F(RestoreStepTest, TheSameCommandGoesOnInsteadOfGoingBackAgain) {
  Job first = back_to(4);
  first.config.max_step = 6;
  train(first);
  for (const bool goes_back : {false, true}) {
    log_.clear();
    Job again = back_to(4, goes_back);
    again.config.max_step = goes_back ? 14 : 12;
    again.config.checkpoint.retention.keep_last_n = 1;  // deletes step 4 itself
    train(again);
    EXPECT_THAT(log_.text(),
                HasSubstr(goes_back ? "checkpoint of step 12" : "checkpoint of step 6"));
    EXPECT_THAT(log_.text(), HasSubstr("remove " + (folder() / "went_back_to").string()));
  }
  EXPECT_FALSE(fs::exists(folder() / "earlier.2"));
}

TEST_F(RestoreStepTest, TheNewestNeedsNoConsentAlsoAfterAnInterruption) {
  Job longer = back_to(8, /*goes_back=*/false);
  longer.config.max_step = 10;
  EXPECT_EQ(train(longer).step, 10);
  longer.config.max_step = 12;
  EXPECT_EQ(train(longer).step, 12);
  EXPECT_FALSE(fs::exists(folder() / "earlier.1"));
}

TEST_F(RestoreStepTest, GoesNotWithContradictions) {
  Job fresh = back_to(4, /*goes_back=*/false);
  fresh.fresh = true;
  expect_refused(fresh, ErrorCode::invalid_argument, "one or the other");
  Job nowhere = job();
  nowhere.goes_back = true;
  expect_refused(nowhere, ErrorCode::invalid_argument, "requires a step");
}

}  // namespace
}  // namespace meshwright::train
