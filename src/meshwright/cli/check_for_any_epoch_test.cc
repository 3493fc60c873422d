// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/check_for_any_epoch.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/cli/job.h"
#include "meshwright/config/config.h"

namespace meshwright::cli {
namespace {

using testing::HasSubstr;

class CheckForAnyEpoch : public testing::Test {
 protected:
  CheckForAnyEpoch() {
    std::ofstream file(folder_.path() / "corpus.jsonl");
    for (int i = 0; i < 400; ++i)
      file << R"({"text": "record )" << i << " of the corpus\"}\n";
  }

  // The run trains with batches of 4 rows, so an epoch has some hundreds of steps.
  RunConfig config(const std::string& learning_rate, const std::string& more) const {
    return config::from_toml<RunConfig>(str("dir = '", (folder_.path() / "run").string(), "'\n",
                                            more, R"(
optimizer = { type = "adamw", learning_rate = )",
                                            learning_rate, R"( }
[data]
type = "text"
batch_size = 4
length = 8
path = ')",
                                            (folder_.path() / "corpus.jsonl").string(), R"('
cache = ')",
                                            cache().string(), R"('
[task]
type = "lm"
model = { layers = 1, embed = 8, kv = 1, dim = 8, mlp = 8 }
)"));
  }
  std::filesystem::path cache() const { return folder_.path() / "cache"; }
  std::string error(const std::string& learning_rate, const std::string& more) const {
    return message_of([&] { make_job(config(learning_rate, more), devices_); });
  }

  TemporaryFolder folder_;
  const std::vector<runtime::DeviceInfo> devices_ = std::vector<runtime::DeviceInfo>(1);
};

TEST_F(CheckForAnyEpoch, MistakesAreFoundBeforeTextIsTokenized) {
  const std::string linear = "{ type = 'warmup_linear', peak = 0.1, warmup = 50 }";
  const std::vector<std::vector<std::string>> cases = {
      {linear, "max_step = 20", "warmup_steps 50 is after max_step 20"},
      {"{ type = 'warmup_linear', peak = 0.1, warmup = -1 }", "max_step = '2 epochs'",
       "negative number of steps -1"},
      {"{ type = 'warmup_linear', peak = 0.1, warmup = '120%' }", "max_step = '2 epochs'",
       "more than 100%"},
      {"0.1", "max_step = '2 epochs'\nlog = { type = 'every', duration = 0 }",
       "the interval is 0 steps"},
      {"0.1", "max_step = '2 epochs'\nlearner.rules = [{ params = '.*', group = 'othr' }]",
       "unknown group 'othr'"},
      {"0.1",
       "max_step = '2 epochs'\nevaluators.held = { method = 'los', data = { type = "
       "'held_out_text', batch_size = 4 } }",
       "has no method 'los'"}};
  for (const std::vector<std::string>& each : cases)
    EXPECT_THAT(error(each[0], each[1]), HasSubstr(each[2]));
  EXPECT_FALSE(std::filesystem::exists(cache()));
}

TEST_F(CheckForAnyEpoch, LeavesWhatDependsOnTheEpochToTheData) {
  const std::string warmup = "{ type = 'warmup_linear', peak = 0.1, warmup = '1 epoch' }";
  EXPECT_EQ(error(warmup, "max_step = 100000"), "no error");
  EXPECT_TRUE(std::filesystem::exists(cache()));
  EXPECT_THAT(error(warmup, "max_step = 20"), HasSubstr("is after max_step 20"));
}

TEST_F(CheckForAnyEpoch, OpensNoDataWithoutDurationsInEpochs) {
  make_job(config("{ type = 'warmup_linear', peak = 0.1, warmup = 5 }", "max_step = 20"), devices_);
  EXPECT_FALSE(std::filesystem::exists(cache()));
}

TEST_F(CheckForAnyEpoch, CommandsThatDoNotTrainMakeNoSchedules) {
  const RunConfig run =
      config("{ type = 'warmup_linear', peak = 0.1, warmup = '1 epoch' }", "max_step = 3000");
  for (const data::DataUse use : {data::DataUse::spec_only, data::DataUse::evaluation})
    EXPECT_EQ(message_of([&] { make_job(run, devices_, open_data(run, use)); }), "no error");
  EXPECT_FALSE(std::filesystem::exists(cache()));
}

}  // namespace
}  // namespace meshwright::cli
