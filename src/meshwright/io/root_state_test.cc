// SPDX-License-Identifier: Apache-2.0
// A root folder that is moved, removed or replaced while it is held.
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/posix_file_system.h"

namespace meshwright::io {
namespace {

namespace fs = std::filesystem;
using Kind = RootState::Kind;

class HeldFolderTest : public testing::Test {
 protected:
  TemporaryFolder above;
  fs::path run = above.path() / "a" / "run";
  fs::path elsewhere = above.path() / "elsewhere";
  std::shared_ptr<FileSystem> files = hold_folder(run.string());
};

TEST_F(HeldFolderTest, IsMadeWhenItIsOpened) {
  EXPECT_TRUE(fs::is_directory(run));
  EXPECT_EQ(files->root_state(), RootState{});
}

TEST_F(HeldFolderTest, IsInPlaceUnderALinkToIt) {
  fs::create_directory_symlink(run, elsewhere);
  EXPECT_EQ(hold_folder(elsewhere.string())->root_state(), RootState{});
}

TEST_F(HeldFolderTest, IsFollowedWhenItMoves) {
  write_text(*files, "before", "x");
  fs::rename(run, elsewhere);
  EXPECT_EQ(files->root_state(), (RootState{Kind::moved, elsewhere.string(), false}));
  files->make_folder("checkpoints");
  write_text(*files, "checkpoints/after", "x");
  EXPECT_EQ(read_text(*files, "before"), "x");
  EXPECT_TRUE(fs::exists(elsewhere / "checkpoints" / "after"));
  EXPECT_FALSE(fs::exists(run)) << "it is not made again by its name";
  EXPECT_EQ(files->full_name("before"), (elsewhere / "before").string());
}

TEST_F(HeldFolderTest, IsFollowedWhenAFolderAboveMoves) {
  fs::rename(run.parent_path(), elsewhere);
  EXPECT_EQ(files->root_state(), (RootState{Kind::moved, (elsewhere / "run").string(), false}));
}

TEST_F(HeldFolderTest, IsInPlaceAgainWhenItIsMovedBack) {
  fs::rename(run, elsewhere);
  EXPECT_EQ(files->root_state().kind, Kind::moved);
  fs::rename(elsewhere, run);
  EXPECT_EQ(files->root_state(), RootState{});
  EXPECT_EQ(files->full_name(""), run.string());
}

TEST_F(HeldFolderTest, IsNotTheFolderThatTakesItsName) {
  fs::rename(run, elsewhere);
  auto other = hold_folder(run.string());
  write_text(*files, "a", "mine");
  write_text(*other, "a", "theirs");
  EXPECT_EQ(read_text(*files, "a"), "mine");
  EXPECT_EQ(files->root_state(), (RootState{Kind::moved, elsewhere.string(), true}));
  EXPECT_EQ(other->root_state(), RootState{});
}

TEST_F(HeldFolderTest, DoesNotComeBackOnceItIsRemoved) {
  fs::remove_all(run);
  EXPECT_EQ(files->root_state(), (RootState{Kind::removed, "", false}));
  EXPECT_EQ(code_of([&] { files->make_folder("checkpoints"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { files->create("a"); }), ErrorCode::not_found);
  EXPECT_FALSE(fs::exists(run));
}

TEST_F(HeldFolderTest, IsReplacedIfAnotherHasItsName) {
  // Created before the other one is removed, so that it cannot reuse its inode.
  fs::create_directories(elsewhere);
  fs::remove_all(run);
  fs::rename(elsewhere, run);
  EXPECT_EQ(files->root_state(), (RootState{Kind::replaced, "", true}));
  EXPECT_EQ(code_of([&] { files->create("a"); }), ErrorCode::not_found);
  EXPECT_TRUE(fs::is_empty(run));
}

TEST_F(HeldFolderTest, IsKnownToItsSubtrees) {
  auto below = subtree(files, "checkpoints");
  fs::rename(run, elsewhere);
  EXPECT_EQ(below->root_state().now_at, elsewhere.string());
}

TEST(HoldFolder, RefusesWhatIsNoFolder) {
  TemporaryFolder folder;
  write_text(*hold_folder(folder.path().string()), "file", "");
  EXPECT_EQ(code_of([&] { hold_folder((folder.path() / "file").string()); }),
            ErrorCode::invalid_argument);
}

TEST(MemoryRoot, MovesAndComesBack) {
  MemoryFileSystem files;
  files.move_root("elsewhere", /*is_name_taken=*/true);
  EXPECT_EQ(files.root_state(), (RootState{Kind::moved, "elsewhere", true}));
  write_text(files, "a", "x");
  EXPECT_EQ(files.copy()->root_state().now_at, "elsewhere");
  files.restore_root_name();
  EXPECT_EQ(files.root_state(), RootState{});
}

TEST(MemoryRoot, TakesNothingOnceItIsRemoved) {
  MemoryFileSystem files;
  files.make_folder("checkpoints");
  auto held = files.lock("lock", "me");
  auto open = files.append("metrics");
  files.remove_root(/*is_replaced=*/true);
  EXPECT_EQ(files.root_state(), (RootState{Kind::replaced, "", true}));
  EXPECT_FALSE(held->is_in_place());
  open->append(as_bytes("still open"));
  EXPECT_EQ(files.find("checkpoints"), std::nullopt);
  EXPECT_EQ(code_of([&] { files.make_folder("checkpoints"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { files.create("a"); }), ErrorCode::not_found);
}

}  // namespace
}  // namespace meshwright::io
