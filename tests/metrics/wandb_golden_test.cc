// SPDX-License-Identifier: Apache-2.0
// Compares a run written by W&B (tests/golden/wandb) with our file of the same run.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/metrics/metrics_testutil.h"
#include "meshwright/metrics/wandb.h"
#include "meshwright/metrics/wandb_log.h"

namespace meshwright::metrics {
namespace {

using Items = std::map<std::string, std::string>;

// Returns messages by their field number in a record, in order for each field.
std::multimap<int, std::string> messages(const std::string& file) {
  std::multimap<int, std::string> out;
  for (const std::string& record : wandb_records(file)) {
    for (const ProtoField& field : read_proto(record))
      out.emplace(field.number, field.bytes);
  }
  return out;
}

std::string our_file(const std::filesystem::path& folder) {
  for (auto [name, value] : {std::pair("ENTITY", "team"),
                             {"PROJECT", "proj"},
                             {"NAME", "nm"},
                             {"TAGS", "a,b"},
                             {"NOTES", "no"},
                             {"RUN_GROUP", "g"},
                             {"JOB_TYPE", "j"}})
    ::setenv(str("WANDB_", name).c_str(), value, 1);
  AppendFile(io::open_file_system(folder.string()), "wandb_id").append("abcd1234\n");
  config::Table data, settings;
  data.set("files", {config::Array{{std::string(33'000, 'x')}}});
  settings.set("layers", {std::int64_t{2}});
  settings.set("data", {data});
  {
    WandbSink sink(io::open_file_system(folder.string()), 1000.5, settings);
    sink.write({10, 1001, {{"loss", 1.5}, {"eval/mean", 2.0}}});
    sink.write({40, 1002, {{"nan", NAN}, {"inf", INFINITY}, {"ninf", -INFINITY}, {"loss", 0.25}}});
  }
  const auto run = folder / "wandb" / file_names(folder / "wandb").at(0);
  return file_text(run / "run-abcd1234.wandb");
}

// Returns the items without the times, and without the histogram that only W&B's run has.
Items comparable(Items items) {
  for (const char* name : {"_timestamp", "_runtime", "h", "_wandb"})
    items.erase(name);
  return items;
}

TEST(WandbGolden, TheContainerIsTheSameByteForByte) {
  const std::string golden = file_text(GOLDEN_FILE);
  std::string again = wandb_log_header();
  for (const std::string& record : wandb_records(golden))
    again += wandb_log_record(record, std::ssize(again));
  EXPECT_GT(golden.size(), 32768u);
  EXPECT_TRUE(again == golden);
}

TEST(WandbGolden, RecordsSayTheSame) {
  constexpr int kHistory = 2, kSummary = 3, kRun = 17, kExit = 18, kHeader = 21;
  constexpr int kConfig = 4, kResume = 24;
  TemporaryFolder folder;
  const auto golden = messages(file_text(GOLDEN_FILE)), ours = messages(our_file(folder.path()));

  ASSERT_EQ(ours.count(kHistory), golden.count(kHistory));
  for (auto a = ours.find(kHistory), b = golden.find(kHistory); a != ours.upper_bound(kHistory);
       ++a, ++b) {
    EXPECT_EQ(comparable(wandb_items(a->second)), comparable(wandb_items(b->second)));
    EXPECT_EQ(proto_field(a->second, 2), proto_field(b->second, 2));
  }
  const std::string our_last = std::prev(ours.upper_bound(kSummary))->second;
  const std::string last = std::prev(golden.upper_bound(kSummary))->second;
  EXPECT_EQ(comparable(wandb_items(our_last)), comparable(wandb_items(last)));

  const std::string our_run = ours.find(kRun)->second, run = golden.find(kRun)->second;
  for (int field : {1, 2, 3, 6, 7, 8, 9, 10, +kResume}) {
    EXPECT_NE(proto_field(run, field), "") << field;
    EXPECT_EQ(proto_field(our_run, field), proto_field(run, field)) << field;
  }
  EXPECT_EQ(comparable(wandb_items(proto_field(our_run, kConfig))),
            comparable(wandb_items(proto_field(run, kConfig))));
  EXPECT_EQ(ours.count(kHeader) + ours.count(kExit), golden.count(kHeader) + golden.count(kExit));
}

}  // namespace
}  // namespace meshwright::metrics
