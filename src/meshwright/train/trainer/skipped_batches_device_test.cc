// SPDX-License-Identifier: Apache-2.0
// Batches that a run leaves out.
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::HasSubstr;

// The batches of Points with these numbers.
class Chosen : public Points {
 public:
  explicit Chosen(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}
  std::optional<std::int64_t> num_batches() const override { return std::ssize(numbers_); }
  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    return Points::batch(numbers_.at(static_cast<std::size_t>(step)), rows);
  }

 private:
  std::vector<std::int64_t> numbers_;
};

class SkippedBatchesTest : public testing::Test {
 protected:
  void train(const std::string& name,
             std::vector<data::BatchRange> skipped,
             std::int64_t max_step,
             data::SourcePtr source = std::make_shared<Points>()) {
    Job job = line_job(folder_.path() / name);
    job.source = std::move(source);
    job.skipped_batches = data::SkippedBatches(std::move(skipped));
    job.config.max_step = max_step;
    run(job, caching_client());
  }
  std::uint32_t digest(const std::string& name) const {
    return digest_of_newest(folder_.path() / name);
  }

  io::TemporaryFolder folder_;
  CapturedLog log_;
};

TEST_F(SkippedBatchesTest, AreNotTrainedOn) {
  train("skipping", {{2, 2}, {4, 5}}, 6);
  train("chosen", {}, 6, std::make_shared<Chosen>(std::vector<std::int64_t>{0, 1, 3, 6, 7, 8}));
  train("all", {}, 6);
  EXPECT_EQ(digest("skipping"), digest("chosen"));
  EXPECT_NE(digest("skipping"), digest("all"));
}

TEST_F(SkippedBatchesTest, MayChangeBetweenSessionsWithoutRepeatingABatch) {
  train("changed", {{2, 2}, {4, 5}}, 4);
  train("changed", {{0, 0}, {8, 8}}, 6);
  train("changed", {}, 7);
  train("chosen", {}, 7, std::make_shared<Chosen>(std::vector<std::int64_t>{0, 1, 3, 6, 7, 9, 10}));
  EXPECT_EQ(digest("changed"), digest("chosen"));
}

// The number in the message is the one to leave out.
TEST_F(SkippedBatchesTest, AreNumberedAsInMessages) {
  const auto broken = std::make_shared<Points>(std::set<std::int64_t>{5});
  try {
    train("run", {{2, 2}}, 8, broken);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::numerics);
    EXPECT_THAT(error.what(), HasSubstr("step 5: with batch 5 the loss is nan"));
  }
  train("run", {{2, 2}, {5, 5}}, 8, broken);
  EXPECT_THAT(log_.text(), HasSubstr("batch 3: "));
}

// A rewind passes over the batch that caused it, and over those that the job leaves out.
TEST_F(SkippedBatchesTest, AreStillLeftOutAfterARewind) {
  Job job = line_job(folder_.path() / "run");
  job.source = std::make_shared<Points>(std::set<std::int64_t>{5});
  job.skipped_batches = data::SkippedBatches({{2, 2}, {6, 6}});
  job.config.step.non_finite.action = OnNonFinite::rewind;
  job.config.max_step = 6;
  run(job, caching_client());
  EXPECT_THAT(log_.text(), HasSubstr("went back to step 4; training continues with batch 7"));
  train("chosen", {}, 6, std::make_shared<Chosen>(std::vector<std::int64_t>{0, 1, 3, 4, 7, 8}));
  EXPECT_EQ(digest("run"), digest("chosen"));
}

}  // namespace
}  // namespace meshwright::train
