// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/time_account.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/io/io_testutil.h"

namespace meshwright::train {
namespace {

using testing::ElementsAre;

// In the order of Spent: starting, compiling, restoring, data_wait, steps, evaluating, saving,
// checking, lost.
class TimeAccountTest : public testing::Test {
 protected:
  TimeAccount account(std::optional<double> began = {}) {
    return TimeAccount(began, [this] { return now_; });
  }
  double now_ = 100;
};

TEST_F(TimeAccountTest, CountsEachMomentOnce) {
  TimeAccount account = this->account(98);
  now_ += 1;
  account.turn_to(Spent::compiling);
  now_ += 5;
  account.turn_to(Spent::steps);
  now_ += 10;
  {
    const TimeAccount::Span outer(account, Spent::evaluating);
    now_ += 7;
    const TimeAccount::Span inner(account, Spent::data_wait);
    now_ += 0.5;
  }
  now_ += 20;
  EXPECT_THAT(account.so_far().seconds, ElementsAre(3, 5, 0, 0.5, 30, 7, 0, 0, 0));
  EXPECT_DOUBLE_EQ(account.so_far().total(), 45.5);
  EXPECT_DOUBLE_EQ(account.so_far().goodput(), 30 / 45.5);
}

TEST_F(TimeAccountTest, GoingBackMakesStepsLost) {
  TimeAccount account = this->account();
  account.turn_to(Spent::steps);
  now_ += 10;
  const TimeSpent saved = account.so_far();
  now_ += 4;
  account.lose_steps_since(saved);
  EXPECT_THAT(account.so_far().seconds, ElementsAre(0, 0, 0, 0, 10, 0, 0, 0, 4));
  account.lose_steps_since({.seconds = {0, 0, 0, 0, 99}});
  EXPECT_THAT(account.so_far().seconds, ElementsAre(0, 0, 0, 0, 10, 0, 0, 0, 4));
}

TEST_F(TimeAccountTest, GoesOnWithWhatEarlierProcessesSpent) {
  const TimeSpent saved{.seconds = {1, 2, 0, 0, 50, 3}};
  const TimeSpent told{.seconds = {1, 2, 0, 1, 70, 4, 0, 0, 5}};
  TimeAccount after_kill = account();
  now_ += 1;
  after_kill.continue_from(told, saved);
  EXPECT_THAT(after_kill.so_far().seconds, ElementsAre(2, 2, 0, 1, 50, 4, 0, 0, 25));
  // Nothing was reported since, or the file is gone.
  TimeAccount moved = account();
  moved.continue_from({}, saved);
  EXPECT_THAT(moved.so_far().seconds, ElementsAre(1, 2, 0, 0, 50, 3, 0, 0, 0));
  TimeAccount never_saved = account();
  never_saved.continue_from(told, {});
  EXPECT_THAT(never_saved.so_far().seconds, ElementsAre(1, 2, 0, 1, 0, 4, 0, 0, 75));
}

TEST(TimeSpent, IsToldWithTheLargestPartFirst) {
  const TimeSpent spent{.seconds = {0.001, 20, 0, 30, 940, 0, 10, 0}};
  EXPECT_EQ(text_of(spent),
            "16m 40s since the run began: steps 94.0%, waiting for data 3.0%, compiling 2.0%, "
            "saves 1.0%");
}

TEST(TimeSpent, GoesThroughCheckpoints) {
  const TimeSpent spent{.seconds = {1, 2, 3, 4, 5, 6, 7, 8, 9.5}};
  const checkpoint::Meta meta = meta_of(spent);
  EXPECT_EQ(time_spent(&meta).seconds, spent.seconds);
  EXPECT_EQ(time_spent(nullptr).total(), 0);
  const checkpoint::Meta other;
  EXPECT_EQ(time_spent(&other).total(), 0);
}

TEST(TimeSpent, IsWhatAFileSaysLast) {
  const io::TemporaryFolder folder;
  const auto folder_files = io::open_file_system(folder.path().string());
  const std::filesystem::path path = folder.path() / "metrics.jsonl";
  const io::FileSystem& files = *folder_files;
  EXPECT_EQ(last_told(files, "metrics.jsonl").total(), 0);
  std::ofstream file(path);
  file << R"({"step":1,"time":5,"metrics":{"seconds/total":3,"seconds/steps":1,"seconds/lost":2}})"
       << '\n'
       << R"({"step":2,"time":6,"metrics":{"seconds/total":7,"seconds/steps":4,"seconds/lost":3}})"
       << '\n'
       << R"({"step":2,"time":7,"metrics":{"loss":0.5}})" << '\n';
  file.flush();
  EXPECT_THAT(last_told(files, "metrics.jsonl").seconds, ElementsAre(0, 0, 0, 0, 4, 0, 0, 0, 3));
  file << R"({"step":3,"time":8,"metrics":{"seconds/total":9,"seconds/st)";  // cut off
  file.flush();
  EXPECT_THAT(last_told(files, "metrics.jsonl").seconds, ElementsAre(0, 0, 0, 0, 4, 0, 0, 0, 3));
}

}  // namespace
}  // namespace meshwright::train
