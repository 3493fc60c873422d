// SPDX-License-Identifier: Apache-2.0
// A run whose folder is moved, removed or replaced while it trains.
#include <atomic>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

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

// Modifies the folder while the batch of this step is made.
class Disturbed : public Points {
 public:
  Disturbed(std::int64_t step, std::function<void()> what) : step_(step), what_(std::move(what)) {}
  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    // Batches are made ahead of the updates that use them.
    if (step == step_ && !is_done_.exchange(true)) what_();
    return Points::batch(step, rows);
  }

 private:
  std::int64_t step_;
  std::function<void()> what_;
  mutable std::atomic<bool> is_done_ = false;
};

class LostFolderTest : public testing::Test {
 protected:
  Job disturbed(std::int64_t step, std::function<void()> what, std::int64_t max_step = 1'000'000) {
    Job out = line_job(run);
    out.config.max_step = max_step;
    out.config.loop.log = When();
    out.config.evaluators.clear();
    out.source = std::make_shared<Disturbed>(step, std::move(what));
    return out;
  }

  // Returns the message of the error that ended the run.
  std::string lost(const Job& job) {
    const Error error = thrown_by([&] { meshwright::train::run(job, caching_client()); });
    EXPECT_EQ(error.code(), ErrorCode::no_checkpoint) << error.what();
    return error.what();
  }

  // Like `rm -rf`, repeated if files appear meanwhile.
  void remove() const {
    std::error_code error;
    do
      fs::remove_all(run, error);
    while (error);
  }

  std::int64_t newest(const fs::path& folder) const {
    return checkpoint::Manager({.folder = folder / "checkpoints", .read_only = true})
        .steps()
        .back();
  }

  io::TemporaryFolder above;
  fs::path run = above.path() / "run";
  fs::path elsewhere = above.path() / "elsewhere";
  CapturedLog log;
};

TEST_F(LostFolderTest, MovedItSavesThereAndEnds) {
  const std::string why = lost(disturbed(5, [&] { fs::rename(run, elsewhere); }));
  EXPECT_THAT(why, HasSubstr("dir=" + elsewhere.string()));
  EXPECT_FALSE(fs::exists(run));
  const std::int64_t step = newest(elsewhere);
  EXPECT_GE(step, 2);
  Job again = line_job(elsewhere);
  again.config.max_step = step + 2;
  EXPECT_EQ(meshwright::train::run(again, caching_client()).step, step + 2);
  EXPECT_THAT(log.text(), HasSubstr(str("restored the checkpoint of step ", step)));
}

TEST_F(LostFolderTest, WhatTookItsNameIsLeftAlone) {
  const std::string why = lost(disturbed(5, [&] {
    fs::rename(run, elsewhere);
    fs::create_directories(run / "checkpoints" / "step_00000002");
  }));
  EXPECT_THAT(why, HasSubstr("was moved"));
  EXPECT_TRUE(fs::is_empty(run / "checkpoints" / "step_00000002"));
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(run), {}), 2);
  EXPECT_GE(newest(elsewhere), 2);
}

TEST_F(LostFolderTest, RemovedItIsNotMadeAgain) {
  EXPECT_THAT(lost(disturbed(5, [&] { remove(); })), HasSubstr("was removed"));
  EXPECT_FALSE(fs::exists(run));
}

TEST_F(LostFolderTest, ReplacedItLeavesTheOtherEmpty) {
  const std::string why = lost(disturbed(5, [&] {
    remove();
    fs::create_directory(run);
  }));
  EXPECT_THAT(why, HasSubstr("was removed"));
  EXPECT_TRUE(fs::is_empty(run));
}

TEST_F(LostFolderTest, ARunThatIsDoneElsewhereIsNoSuccess) {
  Job job = disturbed(
      7, [&] { fs::rename(run, elsewhere); }, /*max_step=*/8);
  job.config.checkpoint.when = When{EveryN{.n = 8}};
  EXPECT_THAT(lost(job), HasSubstr("was moved"));
  EXPECT_EQ(newest(elsewhere), 8);
}

TEST_F(LostFolderTest, FailedSavesAreNoReasonToTryAgainWhereNothingIsLeft) {
  Job job = disturbed(5, [&] { remove(); });
  job.config.checkpoint.saving.max_failed_saves = 1;
  EXPECT_THAT(lost(job), HasSubstr("was removed"));
}

}  // namespace
}  // namespace meshwright::train
