// SPDX-License-Identifier: Apache-2.0
// Links, pipes, sockets and devices below a root are neither followed nor opened, and never block.
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/posix_file_system.h"

namespace meshwright::io {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A root in which NAME is not a plain file or folder. Links point into `outside`.
struct OtherFiles {
  TemporaryFolder outside, folder;
  std::shared_ptr<FileSystem> files = std::make_shared<PosixFileSystem>(folder.path());
  fs::path name = folder.path() / "other";
};

void put(const std::string& kind, OtherFiles& at) {
  if (kind == "memory") {
    auto memory = std::make_shared<MemoryFileSystem>();
    memory->put_other("other");
    at.files = memory;
  } else if (kind == "link") {
    PosixFileSystem outside(at.outside.path());
    write_text(outside, "precious", "text");
    fs::create_symlink(at.outside.path() / "precious", at.name);
  } else if (kind == "dangling_link") {
    fs::create_symlink(at.outside.path() / "new", at.name);
  } else if (kind == "folder_link") {
    fs::create_directory_symlink(at.outside.path(), at.name);
  } else if (kind == "pipe") {
    ASSERT_EQ(::mkfifo(at.name.c_str(), 0600), 0);
  } else if (kind == "read_pipe") {  // its other end is open, so writing would not fail
    ASSERT_EQ(::mkfifo(at.name.c_str(), 0600), 0);
    ASSERT_GE(::open(at.name.c_str(), O_RDONLY | O_NONBLOCK), 0);
  } else if (kind == "socket") {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    ASSERT_LT(at.name.string().size(), sizeof(address.sun_path));
    at.name.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ::close(fd);
  }
}

class OtherFileTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { put(GetParam(), other); }
  FileSystem& files() { return *other.files; }

  OtherFiles other;
};

INSTANTIATE_TEST_SUITE_P(
    All,
    OtherFileTest,
    testing::Values(
        "memory", "link", "dangling_link", "folder_link", "pipe", "read_pipe", "socket"),
    [](const auto& test) { return std::string(test.param); });

TEST_P(OtherFileTest, IsListedAsWhatItIs) {
  EXPECT_EQ(files().find("other")->kind, FileKind::other);
  EXPECT_EQ(files().list("")[0].kind, FileKind::other);
}

TEST_P(OtherFileTest, ReadingItIsDataLoss) {
  EXPECT_EQ(code_of([&] { files().open("other"); }), ErrorCode::data_loss);
  EXPECT_EQ(code_of([&] { files().list("other"); }), ErrorCode::data_loss);
  EXPECT_EQ(code_of([&] { files().open("other/x"); }), ErrorCode::data_loss);
  EXPECT_EQ(code_of([&] { files().find("other/x"); }), ErrorCode::data_loss);
  EXPECT_THAT(message_of([&] { files().open("other"); }), HasSubstr(files().full_name("other")));
}

TEST_P(OtherFileTest, WritingToItIsRefused) {
  EXPECT_EQ(code_of([&] { files().create("other"); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { files().append("other"); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { files().lock("other", "x"); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { files().make_folder("other"); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { files().make_folder("other/x"); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { files().create("other/x"); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { files().sync_folder("other"); }), ErrorCode::invalid_argument);
  const std::string message = message_of([&] { files().append("other"); });
  EXPECT_THAT(message, HasSubstr(files().full_name("other")));
  EXPECT_THAT(message, HasSubstr("\nmove it away"));
}

TEST_P(OtherFileTest, ReplacingItLeavesAloneWhatItLeadsTo) {
  replace_text(files(), "other", "new");
  EXPECT_EQ(files().find("other")->kind, FileKind::file);
  EXPECT_EQ(read_text(files(), "other"), "new");
  EXPECT_FALSE(fs::exists(other.outside.path() / "new"));
  if (fs::exists(other.outside.path() / "precious")) {
    EXPECT_EQ(read_text(PosixFileSystem(other.outside.path()), "precious"), "text");
  }
}

TEST_P(OtherFileTest, AsTheUnfinishedFileOfAReplacementItIsRemoved) {
  files().rename("other", "a.new");
  replace_text(files(), "a", "new");
  EXPECT_EQ(read_text(files(), "a"), "new");
  EXPECT_FALSE(files().find("a.new"));
  if (fs::exists(other.outside.path() / "precious")) {
    EXPECT_EQ(read_text(PosixFileSystem(other.outside.path()), "precious"), "text");
  }
}

TEST(PlainFiles, ADeviceIsNotOpened) {
  if (!fs::is_character_file("/dev/null")) GTEST_SKIP() << "no /dev/null here";
  PosixFileSystem devices("/dev");
  EXPECT_EQ(code_of([&] { devices.create("null"); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { devices.open("null"); }), ErrorCode::data_loss);
  EXPECT_THAT(message_of([&] { devices.open("null"); }), HasSubstr("/dev/null: it is a device"));
}

TEST(PlainFiles, AHardLinkIsOne) {
  TemporaryFolder folder;
  PosixFileSystem files(folder.path());
  write_text(files, "a", "x");
  fs::create_hard_link(folder.path() / "a", folder.path() / "b");
  EXPECT_EQ(read_text(files, "b"), "x");
  files.append("b")->append(as_bytes("y"));
  EXPECT_EQ(read_text(files, "a"), "xy");
}

TEST(PlainFiles, TheRootMayBeReachedByALink) {
  TemporaryFolder folder;
  fs::create_directories(folder.path() / "disk" / "run");
  fs::create_directory_symlink(folder.path() / "disk" / "run", folder.path() / "run");
  write_text(*hold_folder((folder.path() / "run").string()), "a", "x");
  EXPECT_TRUE(fs::exists(folder.path() / "disk" / "run" / "a"));
}

}  // namespace
}  // namespace meshwright::io
