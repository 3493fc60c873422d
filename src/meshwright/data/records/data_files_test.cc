// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/data_files.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "meshwright/base/error.h"
#include "meshwright/data/records/glob.h"
#include "meshwright/data/records/records_testutil.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const DataFolder& folder, const std::vector<std::string>& patterns) {
  std::vector<std::string> absolute;
  for (const std::string& pattern : patterns)
    absolute.push_back(folder.path(pattern));
  std::vector<std::string> out;
  for (const DataFile& file : find_data_files(absolute))
    out.push_back(fs::path(file.path).lexically_relative(folder.path("")).string());
  return out;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DataFiles, ExpandsPathsAndGlobsInOrder) {
  const DataFolder folder;
  for (const char* name :
       {"b.txt", "a10.jsonl", "a2.jsonl", "sub/c.txt", "sub/deep/d.txt", ".h.txt"})
    folder.write(name, "x");
  EXPECT_THAT(names(folder, {"b.txt", "a*.jsonl"}), ElementsAre("b.txt", "a10.jsonl", "a2.jsonl"));
  EXPECT_THAT(names(folder, {"a[0-9].jsonl"}), ElementsAre("a2.jsonl"));
  EXPECT_THAT(names(folder, {"*/?.txt"}), ElementsAre("sub/c.txt"));
  EXPECT_THAT(names(folder, {"**/*.txt"}), ElementsAre("b.txt", "sub/c.txt", "sub/deep/d.txt"));
  EXPECT_THAT(names(folder, {"sub/**"}), ElementsAre("sub/c.txt", "sub/deep/d.txt"));
}

TEST(DataFiles, ReturnsAFileOnce) {
  const DataFolder folder;
  folder.write("a.txt", "x");
  folder.write("b.txt", "x");
  EXPECT_THAT(names(folder, {"b.txt", "*.txt", "./b.txt"}), ElementsAre("b.txt", "a.txt"));
}

TEST(DataFiles, TakesFilesOfKnownKindsFromAFolder) {
  const DataFolder folder;
  for (const char* name : {"z.jsonl.zst", "b.txt.gz", "c.py", "README.md", ".x.txt", "sub/d.txt"})
    folder.write(name, "x");
  EXPECT_THAT(names(folder, {""}), ElementsAre("README.md", "b.txt.gz", "z.jsonl.zst"));
}

TEST(DataFiles, TakesParquetFilesFromAFolderUnlessTheyAreCompressed) {
  const DataFolder folder;
  for (const char* name : {"b.parquet", "a.parquet.gz", ".c.parquet"})
    folder.write(name, "x");
  EXPECT_THAT(names(folder, {""}), ElementsAre("b.parquet"));
}

TEST(DataFiles, AcceptsAPathThatLooksLikeAGlob) {
  const DataFolder folder;
  folder.write("a[1].txt", "x");
  EXPECT_THAT(names(folder, {"a[1].txt"}), ElementsAre("a[1].txt"));
}

TEST(DataFiles, FollowsLinks) {
  const DataFolder folder;
  folder.write("real/a.txt", "content");
  fs::create_symlink("real/a.txt", folder.path("file.txt"));
  fs::create_directory_symlink("real", folder.path("link"));
  EXPECT_THAT(names(folder, {"file.txt", "link/*.txt"}), ElementsAre("file.txt", "link/a.txt"));
  EXPECT_EQ(find_data_files({folder.path("file.txt")})[0].num_bytes, 7);
}

TEST(DataFiles, EndsInCyclesOfLinks) {
  const DataFolder folder;
  folder.write("a.txt", "x");
  fs::create_directory_symlink(".", folder.path("loop"));
  EXPECT_THAT(names(folder, {"**/*.txt"}), ElementsAre("a.txt"));
}

TEST(DataFiles, NamesWhatIsNotAPlainFile) {
  const DataFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe.jsonl").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { names(folder, {"pipe.jsonl"}); }), HasSubstr("named pipe"));
  EXPECT_THAT(error_of([&] { names(folder, {"*.jsonl"}); }), HasSubstr("pipe.jsonl"));
  EXPECT_THAT(error_of([&] { find_data_files({"/dev/null"}); }),
              HasSubstr("/dev/null: it is a device"));
  folder.write("folder.txt/a", "x");
  EXPECT_THAT(error_of([&] { names(folder, {"*.txt"}); }), HasSubstr("folder.txt: it is a folder"));
}

TEST(DataFiles, OffersTheNearestName) {
  const DataFolder folder;
  folder.write("corpus/train.jsonl", "x");
  EXPECT_THAT(error_of([&] { names(folder, {"corpus/trian.jsonl"}); }),
              HasSubstr("did you mean 'train.jsonl'?"));
  EXPECT_THAT(error_of([&] { names(folder, {"corpsu/*.jsonl"}); }),
              HasSubstr("did you mean 'corpus'?"));
  EXPECT_THAT(error_of([&] { names(folder, {"corpus/*.txt"}); }), HasSubstr("no file matches"));
  fs::create_directory(folder.path("empty"));
  EXPECT_THAT(error_of([&] { names(folder, {"empty"}); }), HasSubstr("no file of a known kind"));
  fs::create_symlink("nowhere", folder.path("dangling.txt"));
  EXPECT_THAT(error_of([&] { names(folder, {"dangling.txt"}); }), HasSubstr("dangling.txt"));
}

TEST(DataFiles, RefusesTwoDoubleStars) {
  EXPECT_THAT(error_of([] { find_data_files({"**/a/**/b"}); }), HasSubstr("more than one **"));
}

TEST(DataFiles, FingerprintSeesEveryChange) {
  const DataFolder folder;
  const std::string path = folder.write("a.txt", std::string(1 << 20, 'a'));
  const DataFile before = describe_data_file(path);
  auto rewrite = [&](const std::string& content) {
    folder.write("a.txt", content);
    struct timespec times[2] = {};
    times[1].tv_sec = before.modified_nanoseconds / 1'000'000'000;
    times[1].tv_nsec = before.modified_nanoseconds % 1'000'000'000;
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    return describe_data_file(path);
  };
  EXPECT_EQ(rewrite(std::string(1 << 20, 'a')), before);
  EXPECT_NO_THROW(check_unchanged(before));
  for (std::size_t at : {0U, 1U << 19, (1U << 20) - 1}) {
    std::string content(1 << 20, 'a');
    content[at] = 'b';
    EXPECT_NE(fingerprint({rewrite(content)}), fingerprint({before})) << at;
  }
  EXPECT_NE(fingerprint({rewrite(std::string((1 << 20) + 1, 'a'))}), fingerprint({before}));
  EXPECT_THROW(check_unchanged(before), Error);
  rewrite(std::string(1 << 20, 'a'));
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_THAT(error_of([&] { check_unchanged(before); }), HasSubstr("modified"));
}

}  // namespace
}  // namespace meshwright::data
