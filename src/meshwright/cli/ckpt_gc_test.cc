// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/cli/ckpt_commands_testutil.h"
#include "meshwright/metrics/event_proto.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(CkptCommands, GcRemovesOldOnes) {
  std::string run;
  for (const std::int64_t step : {10, 20, 30, 40})
    run = save("a", step);
  EXPECT_THAT(output({"gc", run, "--keep-last", "2", "--dry-run"}),
              AllOf(HasSubstr("would remove step 10"), HasSubstr("would remove step 20"),
                    Not(HasSubstr("step 30"))));
  EXPECT_THAT(output({"gc", run, "--keep-last", "2"}), HasSubstr("removed step 20"));
  EXPECT_THAT(output({"ls", run}), AllOf(Not(HasSubstr("20")), HasSubstr("30"), HasSubstr("40")));
  EXPECT_THROW(output({"gc", run}), Error) << "who says how many?";
  EXPECT_THROW(output({"gc", run, "--keep-every", "10"}), Error);
}

TEST_F(CkptCommands, GcKeepsTheBestByEventFiles) {
  std::string run;
  for (const std::int64_t step : {10, 20, 30, 40, 50})
    run = save("a", step);
  const auto events = io::open_file_system((root / "events").string());
  events->make_folder("eval/x");
  std::string bytes;
  for (const auto& [step, loss] : {std::pair(10, 3.0), {20, 1.0}, {30, 2.0}}) {
    bytes += metrics::framed(
        metrics::record_event({.step = step, .entries = {{"held_out/loss", loss}}}, {}));
  }
  io::write_text(*events, "eval/x/1.tfevents", bytes);
  Args args = {"gc",
               run,
               "--keep-last",
               "1",
               "--keep-best",
               "eval/x/held_out/loss",
               "--smallest",
               "--event-files",
               (root / "events").string(),
               "--dry-run"};
  EXPECT_EQ(output(args).find("step 20"), std::string::npos);
  EXPECT_THAT(output(args), AllOf(HasSubstr("step 10,"), HasSubstr("step 30,"),
                                  Not(HasSubstr("step 40")), Not(HasSubstr("step 50"))));
  args.emplace_back("--drop-without-metric");
  EXPECT_THAT(output(args), HasSubstr("step 40,"));
  args.insert(args.end(), {"--num-best", "2", "--keep-multiples-of", "40"});
  EXPECT_THAT(output(args),
              AllOf(HasSubstr("step 10,"), Not(HasSubstr("step 30")), Not(HasSubstr("step 40"))));
  args[5] = "other/loss";
  EXPECT_THAT(message_of([&] { output(args); }), HasSubstr("no folder in "));
}

TEST_F(CkptCommands, GcNeitherCountsNorRemovesWhatCannotBeRead) {
  for (const std::string& format : checkpoint::format_names()) {
    const checkpoint::Format& how = checkpoint::format_named(format);
    fs::path run;
    for (const std::int64_t step : {10, 20, 30})
      run = save(format, step, 1, format);
    const fs::path last = run / how.step_name(99'999'999), newest = run / how.step_name(30);
    fs::create_directories(last);
    fs::remove(newest / "meshwright.json");
    fs::create_directories(newest / "meshwright.json");
    fs::create_symlink(newest, run / how.step_name(40));
    EXPECT_THAT(output({"ls", run}),
                AllOf(HasSubstr("committed"), HasSubstr("damaged"), HasSubstr("is a link")));
    EXPECT_THAT(output({"gc", run, "--keep-last", "1"}),
                AllOf(HasSubstr("removed step 10,"), Not(HasSubstr("removed step 20")),
                      Not(HasSubstr("removed step 30")), HasSubstr("kept although unreadable")));
    EXPECT_THAT(output({"ls", run, "--json"}),
                AllOf(HasSubstr(R"("readable":true)"), HasSubstr(R"("readable":false)")));
    EXPECT_THAT(output({"gc", run, "--keep-last", "1", "--damaged", "--dry-run"}),
                AllOf(HasSubstr("would remove step 30"), HasSubstr("would remove step 40")));
    EXPECT_THAT(output({"gc", run, "--keep-last", "1", "--damaged"}),
                AllOf(HasSubstr("removed step 30"), HasSubstr("removed step 40"),
                      Not(HasSubstr("removed step 20"))));
    EXPECT_TRUE(fs::exists(run / how.step_name(20)));
    EXPECT_FALSE(fs::exists(newest));
    EXPECT_THAT(output({"verify", run}), StartsWith("0\n"));
  }
}

TEST_F(CkptCommands, GcRemovesWhatARunSetAsideOnRequestOnly) {
  save("a", 10);
  const fs::path run = save("a", 20);
  fs::rename(run / "step_00000020", run / "damaged-step_00000020");
  output({"gc", run, "--keep-last", "1"});
  EXPECT_TRUE(fs::exists(run / "damaged-step_00000020"));
  EXPECT_THAT(output({"gc", run, "--keep-last", "1", "--damaged"}),
              HasSubstr("damaged-step_00000020"));
  EXPECT_FALSE(fs::exists(run / "damaged-step_00000020"));
}

TEST_F(CkptCommands, GcTellsOfNothingThatItRemoved) {
  std::string run;
  for (const std::int64_t step : {10, 20, 30})
    run = save("a", step);
  EXPECT_EQ(count(output({"gc", run, "--keep-last", "2", "--dry-run"}), "\n"), 2);
  EXPECT_EQ(count(output({"gc", run, "--keep-last", "2"}), "\n"), 2) << "0 and one line";
  fs::rename(fs::path(run) / "step_00000020", fs::path(run) / "abandoned-step_00000020");
  EXPECT_THAT(
      output({"gc", run, "--keep-last", "2"}),
      AllOf(HasSubstr("set aside; remove it yourself"), HasSubstr("abandoned-step_00000020")));
}

TEST_F(CkptCommands, GcRemovesDamagedOnesWhereThereAreNoOthers) {
  const fs::path run = save("a", 10);
  fs::remove(run / "step_00000010" / "meshwright.json");
  fs::create_directories(run / "step_00000010" / "meshwright.json");
  EXPECT_THAT(output({"gc", run, "--damaged"}), HasSubstr("removed step 10"));
  EXPECT_TRUE(fs::is_empty(run));
}

TEST_F(CkptCommands, GcKeepsWhatTheRunKeepsIfNothingElseIsSaid) {
  checkpoint::Contents contents;
  contents.meta["config"] = Scalar(std::string(
      "key_of_another_version = 1\n[checkpoint]\nkeep_last_n = 1\nkeep_every_n_steps = 20\n"));
  for (contents.step = 10; contents.step <= 40; contents.step += 10)
    write_checkpoint(checkpoint::format_named("native"), io::open_file_system(root.string()), "a",
                     contents);
  const std::string run = (root / "a").string();
  EXPECT_THAT(output({"gc", run, "--dry-run"}),
              AllOf(HasSubstr("would remove step 20"), Not(HasSubstr("step 10")),
                    Not(HasSubstr("step 30")), Not(HasSubstr("step 40"))));
}

TEST_F(CkptCommands, GcRemovesOldIteratorsOfT5x) {
  std::string run;
  const auto file = [&](std::int64_t step) {
    return fs::path(run) / str("checkpoint_", step) / "train_ds-000-of-001.index";
  };
  for (const std::int64_t step : {1, 2, 3, 4, 5}) {
    run = save("a", step, 1, "t5x");
    if (step != 5) std::ofstream(file(step)) << "position";
    for (const char* ours : {"meshwright.json", "meshwright.txt"})
      if (step != 2) fs::remove(file(step).parent_path() / ours);
  }
  output({"pin", file(1).parent_path().string()});
  EXPECT_THAT(output({"gc", run, "--keep-iterators", "1", "--dry-run"}),
              AllOf(StartsWith("0\nwould remove "), HasSubstr("checkpoint_3/train_ds")));
  const std::string removed = output({"gc", run, "--keep-iterators", "1"});
  EXPECT_EQ(removed, str("0\nremoved ", file(3).string(), "\n"));
  for (const std::int64_t step : {1, 2, 4})
    EXPECT_TRUE(fs::exists(file(step))) << step;
  EXPECT_FALSE(fs::exists(file(3)));
  EXPECT_THAT(output({"verify", file(3).parent_path().string()}), StartsWith("0\n"));
  EXPECT_THAT(message_of([&] {
                output({"gc", run, "--keep-iterators", "0"});
              }),
              HasSubstr("must be at least 1"));
}

TEST_F(CkptCommands, WhatIsPinnedStays) {
  for (const std::string& format : checkpoint::format_names()) {
    const std::string name = str("run_", format);
    std::string run;
    for (const std::int64_t step : {10, 20, 30})
      run = save(name, step, 1, format);
    const std::string first =
        (root / name / checkpoint::format_named(format).step_name(10)).string();
    EXPECT_EQ(output({"pin", first, run}),
              str("0\npinned ", first, "\npinned ",
                  (root / name / checkpoint::format_named(format).step_name(30)).string(), "\n"));
    EXPECT_THAT(output({"ls", run}), HasSubstr("committed, pinned\n"));
    EXPECT_THAT(output({"ls", run, "--json"}), HasSubstr(R"("pinned":true)"));
    EXPECT_THAT(output({"verify", first}), StartsWith("0\n"));
    EXPECT_THAT(output({"gc", run, "--keep-last", "1"}),
                AllOf(HasSubstr("removed step 20"), Not(HasSubstr("step 10"))));
    EXPECT_EQ(output({"pin", first}), str("0\nalready pinned: ", first, "\n"));
    EXPECT_EQ(output({"unpin", first}), str("0\nunpinned ", first, "\n"));
    EXPECT_EQ(output({"unpin", first}), str("0\nnot pinned: ", first, "\n"));
    EXPECT_THAT(output({"gc", run, "--keep-last", "1"}), HasSubstr("removed step 10"));
  }
  EXPECT_THROW(output({"pin"}), Error);
  EXPECT_THROW(output({"pin", (root / "nowhere").string()}), Error);
}

TEST_F(CkptCommands, GcKeepsTheBestOfARunThatKeepsByThatMetric) {
  const checkpoint::Retention rules{
      .keep_last_n = {},
      .keep_best = checkpoint::KeepBest{.evaluator = "held_out", .metric = "loss"}};
  {
    checkpoint::Manager manager({.folder = root / "run", .retention = rules});
    std::int64_t step = 0;
    for (const double loss : {3.0, 1.0, 2.0, 2.5})
      manager.save({.step = ++step, .metric = loss});
    manager.finish();
  }
  EXPECT_THAT(
      output({"gc", (root / "run").string(), "--keep-last", "1", "--keep-best", "held_out/loss",
              "--smallest"}),
      AllOf(HasSubstr("removed step 1"), HasSubstr("removed step 3"), Not(HasSubstr("step 2"))));
  EXPECT_THROW(output({"gc", root.string(), "--keep-last", "1", "--keep-best", "loss"}), Error);
}

}  // namespace
}  // namespace meshwright::cli
