// SPDX-License-Identifier: Apache-2.0
// Runs for W&B. tests/metrics compares them with one written by W&B.
#include "meshwright/metrics/wandb.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/metrics/metrics_testutil.h"
#include "meshwright/metrics/wandb_log.h"

namespace meshwright::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Pair;

constexpr int kHistory = 2, kSummary = 3, kRun = 17, kExit = 18;  // fields of a record

std::string text_of_only_run(const TemporaryFolder& folder) {
  const auto runs = folder.path() / "wandb";
  const auto run = runs / file_names(runs).at(0);
  return file_text(run / file_names(run).at(0));
}

// Returns the messages of this kind.
std::vector<std::string> messages(const std::string& file, int field) {
  std::vector<std::string> out;
  for (const std::string& record : wandb_records(file)) {
    if (std::string message = proto_field(record, field); !message.empty()) out.push_back(message);
  }
  return out;
}

TEST(WandbLog, RecordsMayGoOverBordersOfBlocks) {
  // bytes that the first record leaves in the first block
  for (std::int64_t room = 0; room <= 16; ++room) {
    const std::vector<std::string> records = {
        std::string(static_cast<std::size_t>(32768 - 7 - 7 - room), 'a'), "", "bc",
        std::string(100'000, 'd')};
    std::string file = wandb_log_header();
    for (const std::string& record : records)
      file += wandb_log_record(record, std::ssize(file));
    EXPECT_EQ(wandb_records(file), records) << room;
  }
}

TEST(WandbLog, WhatWasCutOffLeavesTheRecordsBefore) {
  std::string file = wandb_log_header() + wandb_log_record("one", 7);
  file += wandb_log_record("two", std::ssize(file));
  for (std::size_t cut = 1; cut <= 10; ++cut)
    EXPECT_THAT(wandb_records(file.substr(0, file.size() - cut)), ElementsAre("one")) << cut;
}

TEST(Wandb, WhatIsKnownOfAStepIsOneRow) {
  TemporaryFolder folder;
  {
    WandbSink sink(io::open_file_system(folder.path().string()), 100, {});
    sink.write({1, 101.5, {{"loss", 0.5}, {"eval/mean", WeightedScalar{0.25, 8}}}});
    sink.write({1, 102.5, {{"time", 3.0}, {"text", Text{"x"}}}});
    EXPECT_TRUE(messages(text_of_only_run(folder), kHistory).empty());
    sink.write({2, 103, {{"loss", std::numeric_limits<double>::quiet_NaN()}}});
    EXPECT_EQ(messages(text_of_only_run(folder), kHistory).size(), 1u);
  }
  const std::string file = text_of_only_run(folder);
  const std::vector<std::string> rows = messages(file, kHistory);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(wandb_items(rows[0]),
              ElementsAre(Pair("_runtime", "2.5"), Pair("_step", "1"), Pair("_timestamp", "102.5"),
                          Pair("eval/mean", "0.25"), Pair("loss", "0.5"), Pair("time", "3")));
  EXPECT_EQ(proto_field(proto_field(rows[1], 2), 1), "2");
  EXPECT_THAT(wandb_items(rows[1]), IsSupersetOf({Pair("loss", "NaN")}));
  EXPECT_EQ(wandb_items(messages(file, kSummary)[1]), wandb_items(rows[1]));
  EXPECT_EQ(proto_field(messages(file, kExit).at(0), 1), "0");
}

TEST(Wandb, AResumedRunKeepsItsId) {
  TemporaryFolder folder;
  for (int process = 0; process < 2; ++process)
    WandbSink(io::open_file_system(folder.path().string()), 1.7e9, {});
  std::string id = file_text(folder.path() / "wandb_id");
  ASSERT_EQ(id.size(), 9u);
  id.pop_back();
  EXPECT_THAT(
      file_names(folder.path() / "wandb"),
      ElementsAre("offline-run-20231114_221320-" + id, "offline-run-20231114_221321-" + id));
  EXPECT_EQ(proto_field(messages(text_of_only_run(folder), kRun).at(0), 1), id);
}

TEST(Wandb, ARunThatFailedSaysSo) {
  TemporaryFolder folder;
  try {
    WandbSink sink(io::open_file_system(folder.path().string()), 100, {});
    fail(ErrorCode::data_loss, "out of luck");
  } catch (const Error&) {
  }
  EXPECT_EQ(proto_field(messages(text_of_only_run(folder), kExit).at(0), 1), "1");
}

TEST(Wandb, HistogramsHaveFewBinsWithFiniteBorders) {
  TemporaryFolder folder;
  Histogram small{.min = 0.5, .max = 3, .num = 6};
  small.limits = {1, 2, std::numeric_limits<double>::max()};
  small.counts = {1, 2, 3};
  Histogram large{.min = 0, .max = 130, .num = 130};
  for (int i = 0; i < 130; ++i) {
    large.limits.push_back(i + 1);
    large.counts.push_back(1);
  }
  WandbSink(io::open_file_system(folder.path().string()), 100, {})
      .write({1, 100, {{"small", small}, {"large", large}}});
  const std::string file = text_of_only_run(folder);
  std::map<std::string, std::string> row = wandb_items(messages(file, kHistory).at(0));
  EXPECT_EQ(row["small"], R"({"_type":"histogram","values":[1,2,3],"bins":[0.5,1,2,3]})");
  EXPECT_THAT(row["large"], HasSubstr(R"(3,1],"bins":[0,3,6,)"));
}

}  // namespace
}  // namespace meshwright::metrics
