// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/file_tree.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::io {
namespace {

namespace fs = std::filesystem;

// Creates folders d/d/d/... below `folder` without using a long path.
void make_deep(const fs::path& folder, int num_folders, bool with_files = false) {
  int here = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_GE(here, 0);
  for (int i = 0; i < num_folders; ++i) {
    ASSERT_EQ(::mkdirat(here, "d", 0777), 0);
    const int next = ::openat(here, "d", O_RDONLY | O_DIRECTORY);
    if (with_files) {
      const int file = ::openat(next, "f", O_WRONLY | O_CREAT, 0666);
      ASSERT_EQ(::write(file, "x", 1), 1);
      ::close(file);
    }
    ::close(here);
    here = next;
  }
  ::close(here);
}

class FileTreeTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  std::shared_ptr<FileSystem> files = open_file_system(folder.path().string());
};

TEST_F(FileTreeTest, IsRemovedHoweverDeepItIs) {
  fs::create_directories(folder.path() / "tree" / "deep.1");
  make_deep(folder.path() / "tree", 3000);
  remove_tree(*files, "tree");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(FileTreeTest, IsRemovedWithoutFollowingLinks) {
  fs::create_directories(folder.path() / "tree" / "a" / "b");
  fs::create_directories(folder.path() / "precious" / "a");
  fs::create_directory_symlink(folder.path() / "precious", folder.path() / "tree" / "a" / "link");
  ASSERT_EQ(mkfifo((folder.path() / "tree" / "pipe").c_str(), 0600), 0);
  remove_tree(*files, "tree");
  EXPECT_FALSE(fs::exists(folder.path() / "tree"));
  EXPECT_TRUE(fs::exists(folder.path() / "precious" / "a"));
  remove_tree(*files, "tree");  // it no longer exists
}

TEST_F(FileTreeTest, IsCountedAsDeepAsFormatsGo) {
  fs::create_directories(folder.path() / "tree" / "a");
  std::ofstream(folder.path() / "tree" / "a" / "file") << "12345";
  EXPECT_EQ(num_bytes_below(*files, "tree"), 5u);
  make_deep(folder.path() / "tree", 200, /*with_files=*/true);
  EXPECT_EQ(num_bytes_below(*files, "tree"), 5u + kMaxFolders);
}

TEST_F(FileTreeTest, CountsNothingOfWhatIsNotThereOrHasAnOddName) {
  EXPECT_EQ(num_bytes_below(*files, "tree"), 0u);
  fs::create_directories(folder.path() / "tree" / "a\nb");
  std::ofstream(folder.path() / "tree" / "c\\d") << "12345";
  EXPECT_EQ(num_bytes_below(*files, "tree"), 0u);
}

TEST(FileTree, InMemoryIsTheSame) {
  MemoryFileSystem files;
  std::string path = "tree";
  for (int i = 0; i < 100; ++i)
    path += "/d";
  files.make_folder(path);
  write_text(files, path + "/f", "x");
  remove_tree(files, "tree");
  EXPECT_FALSE(files.find("tree"));
}

}  // namespace
}  // namespace meshwright::io
