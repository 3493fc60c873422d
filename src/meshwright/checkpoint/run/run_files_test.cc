// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/run/run_files.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/io/io_testutil.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A run whose checkpoints are on another disk.
class LinkedCheckpointsTest : public testing::Test {
 protected:
  LinkedCheckpointsTest() {
    fs::create_directories(disk / "step_00000004");
    fs::create_directories(run);
    fs::create_directory_symlink(disk, run / "checkpoints");
    std::ofstream(run / "config.toml") << "seed = 1\n";
  }

  io::TemporaryFolder above;
  fs::path run = above.path() / "run";
  fs::path disk = above.path() / "disk";
  const testing::Matcher<std::string> is_refused =
      AllOf(StartsWith("invalid argument: "), HasSubstr("is a link"), HasSubstr("\nto keep"));
};

TEST_F(LinkedCheckpointsTest, AreRefused) {
  EXPECT_THAT(coded_message_of([&] { files_of_checkpoints(run.string()); }), is_refused);
}

TEST_F(LinkedCheckpointsTest, AreRefusedHoweverTheyAreNamed) {
  for (const char* below : {"", "checkpoints", "checkpoints/", "checkpoints/step_00000004"})
    EXPECT_THAT(coded_message_of([&] { locate((run / below).string()); }), is_refused) << below;
}

TEST_F(LinkedCheckpointsTest, AreRefusedWhateverElseIsThere) {
  fs::remove(run / "checkpoints");
  EXPECT_NO_THROW(files_of_checkpoints(run.string()));
  std::ofstream(run / "checkpoints") << "x";
  EXPECT_THAT(coded_message_of([&] { files_of_checkpoints(run.string()); }),
              HasSubstr("is a file, expected the folder"));
}

TEST_F(LinkedCheckpointsTest, AFolderAboveARunMayBeALink) {
  const fs::path runs = above.path() / "checkpoints";
  fs::create_directory_symlink(above.path(), runs);
  EXPECT_THAT(coded_message_of([&] { locate((runs / "disk").string()); }),
              HasSubstr("has no checkpoint of a known format"));
}

}  // namespace
}  // namespace meshwright::checkpoint
