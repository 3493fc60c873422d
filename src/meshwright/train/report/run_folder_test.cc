// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/run_folder.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/io/io_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class RunFolderTest : public testing::Test {
 protected:
  std::string read(const fs::path& path) const {
    return read_text(*io::open_file_system(path.parent_path().string()), path.filename().string());
  }
  void write(const fs::path& path, std::string_view text) const {
    io::write_text(*io::open_file_system(path.parent_path().string()), path.filename().string(),
                   text);
  }
  std::string refused() const {
    std::string out = coded_message_of([&] { RunFolder folder(run); });
    EXPECT_THAT(out, StartsWith("invalid argument: "));
    return out;
  }
  std::string lost(RunFolder& folder) const {
    std::string out = coded_message_of([&] { folder.check_in_place(); });
    EXPECT_THAT(out, StartsWith("no usable checkpoint: "));
    return out;
  }

  CapturedLog log;
  io::TemporaryFolder above;
  fs::path run = above.path() / "run";
  fs::path elsewhere = above.path() / "elsewhere";
};

TEST_F(RunFolderTest, IsHeldByOneProcess) {
  const RunFolder folder(run);
  EXPECT_THAT(refused(), HasSubstr("in use by process"));
}

TEST_F(RunFolderTest, ALinkOrPipeIsNotLocked) {
  fs::create_directories(run);
  write(elsewhere, "precious");
  fs::create_symlink(elsewhere, run / "lock");
  EXPECT_THAT(refused(), HasSubstr("symbolic link is in the way"));
  EXPECT_EQ(read(elsewhere), "precious");
  fs::remove(run / "lock");
  ASSERT_EQ(mkfifo((run / "lock").c_str(), 0600), 0);
  EXPECT_THAT(refused(), HasSubstr("named pipe is in the way"));
}

TEST_F(RunFolderTest, WhatIsWrittenAsAWholeTakesThePlaceOfALink) {
  const RunFolder folder(run);
  write(elsewhere, "precious");
  for (const char* name : {"config.toml", "config.toml.new", "config.toml.unfinished"})
    fs::create_symlink(elsewhere, run / name);
  folder.write_text("config.toml", "seed = 1\n");
  EXPECT_EQ(read(run / "config.toml"), "seed = 1\n");
  EXPECT_EQ(read(elsewhere), "precious");
}

TEST_F(RunFolderTest, CheckpointsAreNotBehindALink) {
  fs::create_directories(run);
  fs::create_directories(elsewhere);
  fs::create_directory_symlink(elsewhere, run / "checkpoints");
  const std::string message = refused();
  EXPECT_THAT(message, HasSubstr("links in a run's folder are not followed"));
  EXPECT_THAT(message, HasSubstr("set dir to a folder there"));
}

TEST_F(RunFolderTest, MayItselfBeBehindALink) {
  fs::create_directories(elsewhere);
  fs::create_directory_symlink(elsewhere, run);
  RunFolder(run).check_in_place();
  EXPECT_TRUE(fs::exists(elsewhere / "lock"));
}

TEST_F(RunFolderTest, ANoteThatIsAPipeSaysNothing) {
  const RunFolder folder(run);
  folder.record_step_gone_back_to(12);
  EXPECT_EQ(step_gone_back_to(*folder.files()), 12);
  fs::remove(run / kWentBackTo);
  ASSERT_EQ(mkfifo((run / kWentBackTo).c_str(), 0600), 0);
  EXPECT_EQ(step_gone_back_to(*folder.files()), std::nullopt);
}

TEST_F(RunFolderTest, HasAnIdForGood) {
  const std::string id = RunFolder(run).id();
  EXPECT_EQ(id.size(), 32u);
  EXPECT_EQ(RunFolder(run).id(), id);
  EXPECT_NE(RunFolder(elsewhere).id(), id);
}

TEST_F(RunFolderTest, MakesAnotherIdWhereThereIsNone) {
  const std::string id = RunFolder(run).id();
  for (const char* text : {"", "../../etc\n", "\x1b[2J"}) {
    write(run / "run_id", text);
    EXPECT_EQ(RunFolder(run).id().size(), 32u) << text;
  }
  fs::remove(run / "run_id");
  write(elsewhere, "precious");
  fs::create_symlink(elsewhere, run / "run_id");
  EXPECT_NE(RunFolder(run).id(), id);
  EXPECT_EQ(read(elsewhere), "precious");
}

TEST_F(RunFolderTest, WhatIsSetAsideKeepsItsId) {
  RunFolder folder(run);
  const std::string id = folder.id();
  folder.set_checkpoints_aside({});
  EXPECT_EQ(RunFolder(run / "earlier.1").id(), id);
  folder.set_earlier_runs_aside();
  EXPECT_EQ(RunFolder(run / "earlier.2").id(), id);
}

TEST_F(RunFolderTest, WhatIsSetAsideHasItsTokenizer) {
  RunFolder folder(run);
  folder.write_text("tokenizer.model", "model");
  folder.set_checkpoints_aside({});
  EXPECT_EQ(read(run / "earlier.1" / "tokenizer.model"), "model");
  EXPECT_EQ(read(run / "tokenizer.model"), "model");
  folder.set_earlier_runs_aside();
  EXPECT_EQ(read(run / "earlier.2" / "tokenizer.model"), "model");
  EXPECT_FALSE(fs::exists(run / "tokenizer.model"));
}

TEST_F(RunFolderTest, SaysWhereItWasMoved) {
  RunFolder folder(run);
  folder.check_in_place();
  fs::rename(run, elsewhere);
  EXPECT_THAT(lost(folder), HasSubstr("was moved during the run, to " + elsewhere.string()));
  EXPECT_THAT(lost(folder),
              HasSubstr("\nto continue from what was saved: dir=" + elsewhere.string()));
  fs::create_directory(run);
  EXPECT_THAT(lost(folder), HasSubstr("another file or folder now has that name"));
  folder.write_text("a/b", "x");
  EXPECT_EQ(read(elsewhere / "a" / "b"), "x");
  EXPECT_TRUE(fs::is_empty(run));
}

TEST_F(RunFolderTest, SaysThatItsCheckpointsWereMovedOrRemoved) {
  RunFolder folder(run);
  folder.checkpoints();
  folder.check_in_place();
  const fs::path checkpoints = run / "checkpoints";
  fs::rename(checkpoints, elsewhere);
  EXPECT_THAT(lost(folder),
              HasSubstr("checkpoints, was moved during the run, to " + elsewhere.string()));
  io::write_text(*folder.checkpoints(), "saved", "x");
  EXPECT_EQ(read(elsewhere / "saved"), "x") << "a save in progress ends there";
  for (const bool is_link : {true, false}) {
    if (is_link) {
      fs::create_directory_symlink(elsewhere, checkpoints);
    } else {
      fs::create_directory(checkpoints);
    }
    EXPECT_THAT(lost(folder), HasSubstr("another file or folder now has that name"));
    fs::remove(checkpoints);
  }
  fs::rename(elsewhere, checkpoints);
  folder.check_in_place();
  fs::remove_all(checkpoints);
  EXPECT_THAT(lost(folder), HasSubstr("checkpoints, was removed during the run"));
  EXPECT_ANY_THROW(io::write_text(*folder.checkpoints(), "saved", "x"));
}

TEST_F(RunFolderTest, TakesItsIdFromItsCheckpointsIfItIsLost) {
  const std::string id = RunFolder(run).id();
  fs::remove(run / "run_id");
  EXPECT_NE(RunFolder(run).id(), id) << "no checkpoint has the id";
  auto files = RunFolder(run).checkpoints();
  for (const std::int64_t step : {1, 3, 2}) {
    checkpoint::CheckpointPlan plan{.step = step, .run = str("run", step)};
    auto writer = checkpoint::format_named("axlearn").begin(files, "", plan, {});
    writer->finish();
    writer->commit();
  }
  fs::remove(run / "run_id");
  EXPECT_EQ(RunFolder(run).id(), "run3");
  EXPECT_EQ(RunFolder(run).id(), "run3");
}

TEST_F(RunFolderTest, SaysThatItWasRemoved) {
  RunFolder folder(run);
  fs::remove_all(run);
  EXPECT_THAT(lost(folder), HasSubstr("was removed during the run"));
  EXPECT_ANY_THROW(folder.write_text("a/b", "x"));
  EXPECT_FALSE(fs::exists(run));
  fs::create_directory(run);
  EXPECT_THAT(lost(folder), HasSubstr("another file or folder now has that name"));
}

TEST_F(RunFolderTest, TakesALockAgainThatWasRemoved) {
  RunFolder folder(run);
  fs::remove(run / "lock");
  folder.check_in_place();
  EXPECT_THAT(log.text(), HasSubstr("was removed and has been restored"));
  EXPECT_THAT(refused(), HasSubstr("in use by process"));
}

TEST_F(RunFolderTest, GivesWayToWhoLockedItSince) {
  RunFolder folder(run);
  fs::remove(run / "lock");
  const RunFolder other(run);
  EXPECT_THAT(lost(folder), HasSubstr("in use by process"));
}

}  // namespace
}  // namespace meshwright::train
