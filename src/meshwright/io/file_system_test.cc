// SPDX-License-Identifier: Apache-2.0
// The contract of every FileSystem, and what is specific to disks.
#include "meshwright/io/file_system.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/posix_error.h"
#include "meshwright/io/posix_file_system.h"

namespace meshwright::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FileSystemTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "memory") {
      files = std::make_shared<MemoryFileSystem>();
    } else {
      files = std::make_shared<PosixFileSystem>(folder.path());
    }
  }

  std::vector<std::string> names(std::string_view path) const {
    std::vector<std::string> out;
    for (const FolderEntry& entry : files->list(path))
      out.push_back(entry.name + (entry.kind == FileKind::folder ? "/" : ""));
    return out;
  }

  TemporaryFolder folder;
  std::shared_ptr<FileSystem> files;
};

INSTANTIATE_TEST_SUITE_P(All,
                         FileSystemTest,
                         testing::Values("disk", "memory"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(FileSystemTest, ReadsWhatWasWritten) {
  write_text(*files, "a", "hello");
  EXPECT_EQ(read_text(*files, "a"), "hello");
  EXPECT_EQ(files->find("a")->num_bytes, 5);
  EXPECT_EQ(files->find("a")->kind, FileKind::file);
}

TEST_P(FileSystemTest, AppendsInPieces) {
  auto file = files->create("a");
  file->append(as_bytes("he"));
  file->append(as_bytes(""));
  file->append(as_bytes("llo"));
  file->sync();
  file->close();
  EXPECT_EQ(read_text(*files, "a"), "hello");
}

TEST_P(FileSystemTest, ReplacesAFile) {
  write_text(*files, "a", "a long text");
  write_text(*files, "a", "short");
  EXPECT_EQ(read_text(*files, "a"), "short");
}

TEST_P(FileSystemTest, AppendsToWhatIsThere) {
  files->append("a")->append(as_bytes("one "));
  auto file = files->append("a");
  EXPECT_EQ(file->num_bytes(), 4);
  file->append(as_bytes("two"));
  EXPECT_EQ(file->num_bytes(), 7);
  file->close();
  EXPECT_EQ(read_text(*files, "a"), "one two");
  EXPECT_EQ(code_of([&] { files->append("nowhere/a"); }), ErrorCode::not_found);
}

TEST_P(FileSystemTest, UpdatesWhatIsThere) {
  write_text(*files, "a", "one two");
  auto file = files->update("a");
  file->write_at(4, as_bytes("2"));
  file->write_at(9, as_bytes("!"));
  file->close();
  EXPECT_EQ(read_text(*files, "a"), std::string("one 2wo\0\0!", 10));
  files->update("new")->close();
  EXPECT_EQ(read_text(*files, "new"), "");
  EXPECT_EQ(code_of([&] { files->update("nowhere/a"); }), ErrorCode::not_found);
}

TEST_P(FileSystemTest, CutsAFileBack) {
  write_text(*files, "a", "0123456789");
  auto file = files->append("a");
  file->truncate(4);
  file->append(as_bytes("x"));
  EXPECT_EQ(read_text(*files, "a"), "0123x");
}

TEST_P(FileSystemTest, OneHoldsALock) {
  auto held = files->lock("lock", "me");
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(files->lock("lock", "you"), nullptr);
  EXPECT_EQ(read_text(*files, "lock"), "me") << "says who holds it";
  held.reset();
  held = files->lock("lock", "you");
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(read_text(*files, "lock"), "you");
}

TEST_P(FileSystemTest, ALockKnowsThatItsFileWasReplaced) {
  auto held = files->lock("lock", "me");
  EXPECT_TRUE(held->is_in_place());
  files->remove("lock");
  EXPECT_FALSE(held->is_in_place());
  write_text(*files, "lock", "you");
  EXPECT_FALSE(held->is_in_place());
}

TEST_P(FileSystemTest, ASubtreeHasAFolderAsItsRoot) {
  std::shared_ptr<FileSystem> below = subtree(files, "a/b");
  below->make_folder("");
  write_text(*below, "x", "hello");
  EXPECT_EQ(read_text(*files, "a/b/x"), "hello");
  EXPECT_EQ(below->full_name("x"), files->full_name("a/b/x"));
  EXPECT_EQ(code_of([&] { subtree(files, "../b"); }), ErrorCode::invalid_argument);
}

TEST_P(FileSystemTest, ReadsAPart) {
  write_text(*files, "a", "0123456789");
  Buffer part(3);
  files->open("a")->read(4, part.span());
  EXPECT_EQ(part.text(), "456");
}

TEST_P(FileSystemTest, AReadPastTheEndIsDataLoss) {
  write_text(*files, "a", "01234");
  Buffer part(3);
  auto file = files->open("a");
  EXPECT_EQ(code_of([&] { file->read(3, part.span()); }), ErrorCode::data_loss);
  EXPECT_EQ(code_of([&] { file->read(6, part.span()); }), ErrorCode::data_loss);
}

TEST_P(FileSystemTest, RefusesAFileLargerThanExpected) {
  write_text(*files, "a", "01234");
  EXPECT_EQ(code_of([&] { read_file(*files, "a", 4); }), ErrorCode::data_loss);
  EXPECT_EQ(read_file(*files, "a", 5).size(), 5);
}

TEST_P(FileSystemTest, ListsAFolderByName) {
  files->make_folder("x/y/z");
  write_text(*files, "x/b", "");
  write_text(*files, "x/a", "");
  EXPECT_THAT(names("x"), ElementsAre("a", "b", "y/"));
  EXPECT_THAT(names(""), ElementsAre("x/"));
  EXPECT_EQ(code_of([&] { files->list("nowhere"); }), ErrorCode::not_found);
}

TEST_P(FileSystemTest, MakesAFolderOnce) {
  files->make_folder("x/y");
  files->make_folder("x/y");
  EXPECT_THAT(names("x"), ElementsAre("y/"));
  write_text(*files, "file", "");
  EXPECT_EQ(code_of([&] { files->make_folder("file"); }), ErrorCode::already_exists)
      << "in the way";
}

TEST_P(FileSystemTest, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(files->find("a"), std::nullopt);
  EXPECT_EQ(files->find("a/b/c"), std::nullopt);
  EXPECT_EQ(code_of([&] { files->open("a"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { files->create("a/b"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { files->remove("a"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { files->rename("a", "b"); }), ErrorCode::not_found);
}

TEST_P(FileSystemTest, AMessageNamesTheFile) {
  EXPECT_THAT(message_of([&] { files->open("index"); }), HasSubstr(files->full_name("index")));
}

TEST_P(FileSystemTest, RenamesAFolderWithAllInIt) {
  files->make_folder("new/deep");
  write_text(*files, "new/deep/a", "x");
  files->rename("new", "final");
  EXPECT_EQ(read_text(*files, "final/deep/a"), "x");
  EXPECT_EQ(files->find("new"), std::nullopt);
}

TEST_P(FileSystemTest, ARenameReplacesAFileButNoFullFolder) {
  write_text(*files, "a", "new");
  write_text(*files, "b", "old");
  files->rename("a", "b");
  EXPECT_EQ(read_text(*files, "b"), "new");
  files->make_folder("from");
  files->make_folder("to/full");
  EXPECT_EQ(code_of([&] { files->rename("from", "to"); }), ErrorCode::already_exists);
}

TEST_P(FileSystemTest, RemovesFilesAndEmptyFolders) {
  files->make_folder("x");
  write_text(*files, "x/a", "");
  EXPECT_EQ(code_of([&] { files->remove("x"); }), ErrorCode::already_exists) << "not empty";
  files->remove("x/a");
  files->remove("x");
  EXPECT_THAT(names(""), ElementsAre());
}

TEST_P(FileSystemTest, RemovesATree) {
  files->make_folder("x/y/z");
  write_text(*files, "x/y/z/a", "");
  remove_tree(*files, "x");
  remove_tree(*files, "x");
  EXPECT_THAT(names(""), ElementsAre());
}

TEST_P(FileSystemTest, ReplacesAtOnce) {
  write_text(*files, "pointer", "1");
  replace_text(*files, "pointer", "2");
  EXPECT_EQ(read_text(*files, "pointer"), "2");
  EXPECT_THAT(names(""), ElementsAre("pointer"));
}

TEST_P(FileSystemTest, NoPathLeadsOutOfTheRoot) {
  for (const char* path :
       {"..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", "./a", "a\\b", "a\nb"}) {
    EXPECT_EQ(code_of([&] { files->find(path); }), ErrorCode::invalid_argument) << path;
    EXPECT_EQ(code_of([&] { files->create(path); }), ErrorCode::invalid_argument) << path;
    EXPECT_EQ(code_of([&] { files->make_folder(path); }), ErrorCode::invalid_argument) << path;
    EXPECT_EQ(code_of([&] { files->rename("a", path); }), ErrorCode::invalid_argument) << path;
  }
  EXPECT_EQ(code_of([&] { files->find(std::string("a\0b", 3)); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([&] { files->find(std::string(300, 'a')); }), ErrorCode::invalid_argument);
}

class DiskTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  PosixFileSystem files{folder.path()};
};

TEST_F(DiskTest, TheRootComesIntoBeingWithTheFirstFolder) {
  PosixFileSystem later(folder.path() / "a" / "b");
  EXPECT_EQ(later.find("x"), std::nullopt);
  later.make_folder("");
  write_text(later, "x", "");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "a" / "b" / "x"));
}

TEST_F(DiskTest, RemovesALinkAndNotWhatItLeadsTo) {
  TemporaryFolder outside;
  PosixFileSystem other(outside.path());
  write_text(other, "precious", "x");
  files.make_folder("tree");
  std::filesystem::create_directory_symlink(outside.path(), folder.path() / "tree" / "link");
  remove_tree(files, "tree");
  EXPECT_EQ(files.find("tree"), std::nullopt);
  EXPECT_EQ(read_text(other, "precious"), "x");
}

TEST_F(DiskTest, AFileOverTheLimitSaysSo) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  auto file = files.create("a");
  const rlimit small{4, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto code = code_of([&] { file->append(as_bytes("12345678")); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, ErrorCode::resource_exhausted);
}

TEST(PosixError, AFullDiskSaysSo) {
  TemporaryFolder folder;
  const Error error =
      thrown_by([&] { fail_errno("writing 1 bytes to", (folder.path() / "x").string(), ENOSPC); });
  EXPECT_EQ(error.code(), ErrorCode::resource_exhausted);
  EXPECT_THAT(error.message(), HasSubstr("writing 1 bytes to"));
  EXPECT_THAT(error.message(), HasSubstr("free some space: "));
}

TEST(OpenFileSystem, TakesFoldersAndRefusesStores) {
  EXPECT_EQ(open_file_system("/tmp")->full_name("a"), "/tmp/a");
  EXPECT_EQ(open_file_system("file:///tmp")->full_name("a"), "/tmp/a");
  EXPECT_EQ(code_of([] { open_file_system("gs://bucket/run"); }), ErrorCode::unimplemented);
  EXPECT_EQ(code_of([] { open_file_system("s3://bucket/run"); }), ErrorCode::unimplemented);
  EXPECT_EQ(code_of([] { open_file_system(""); }), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace meshwright::io
