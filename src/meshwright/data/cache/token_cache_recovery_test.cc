// SPDX-License-Identifier: Apache-2.0
// Interrupted and competing builds, damage, and files that change.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/cache/token_cache_testutil.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;

using TokenCacheRecoveryTest = TokenCacheTest;

// The encoder of bytes, with a function that is called for each text.
class WatchedEncoder : public RecordEncoder {
 public:
  explicit WatchedEncoder(std::function<void(std::string_view)> watch) : watch_(std::move(watch)) {}
  std::string digest() const override { return base_->digest(); }
  std::int64_t vocab_size() const override { return base_->vocab_size(); }
  void encode(const Record& record, EncodedRecord& out) const override {
    watch_(record.text());
    base_->encode(record, out);
  }

 private:
  std::function<void(std::string_view)> watch_;
  RecordEncoderPtr base_ = bytes_encoder();
};

// Calls `act` at the text of this record of many_lines().
RecordEncoderPtr at_record(int number, const std::function<void()>& act) {
  const std::string begin = str("record ", number, std::string(number % 97 == 0 ? 0 : 1, 'x'));
  return std::make_shared<WatchedEncoder>([begin, act](std::string_view text) {
    if (text.starts_with(begin)) act();
  });
}

RecordEncoderPtr failing_at(int number) {
  return at_record(number, [number] { fail(ErrorCode::unavailable, "failed at ", number); });
}

TEST_F(TokenCacheRecoveryTest, ContinuesAnInterruptedBuild) {
  add_several();
  const TokenCache first = get();
  const std::vector<std::string> expected = contents(first.folder);
  std::filesystem::remove(first.folder / "meta.json");
  std::filesystem::remove(first.folder / "00003.json");
  auto written = [&](const char* name) {
    return std::filesystem::last_write_time(first.folder / name);
  };
  const auto kept = written("00002.tokens"), removed = written("00003.tokens");
  const auto after = written("00004.tokens");
  TokenCacheProgress last;
  const TokenCache second =
      cached_tokens(find_data_files(paths_), {}, encoder_,
                    {.folder = cache_folder(),
                     .progress = [&](const auto& progress) { last = progress; },
                     .part_tokens = part_tokens_});
  EXPECT_TRUE(second.was_built);
  EXPECT_EQ(written("00002.tokens"), kept);
  EXPECT_NE(written("00003.tokens"), removed);
  EXPECT_EQ(written("00004.tokens"), after);
  EXPECT_TRUE(contents(second.folder) == expected);
  EXPECT_EQ(second.counts, first.counts);
  EXPECT_EQ(last.bytes_read, last.num_bytes);
  EXPECT_EQ(last.num_records, second.counts.accepted);
  EXPECT_EQ(last.num_tokens, second.num_tokens);
}

TEST_F(TokenCacheRecoveryTest, ContinuesInsideAFile) {
  add("a.jsonl", line("first"));
  add("b.jsonl.zst", zstd_compressed(line("!x") + "bad\n" + many_lines(20'000)));
  add("c.jsonl", line("last"));
  const RecordSettings records = {.skip_corrupt = 1};
  const TokenCache whole = get(1, records);
  const std::vector<std::string> expected = contents(whole.folder);
  for (const int num_threads : {1, 3}) {
    std::filesystem::remove_all(cache_folder());
    encoder_ = failing_at(15'000);
    try {
      get(num_threads, records);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("failed at 15000"));
    }
    encoder_ = failing_at(10'000);  // which is in a part that is finished
    const TokenCache cache = get(num_threads, records);
    EXPECT_TRUE(cache.was_built);
    EXPECT_EQ(cache.counts, whole.counts);
    EXPECT_TRUE(contents(cache.folder) == expected) << num_threads;
    EXPECT_EQ(cache.documents->fingerprint(), whole.documents->fingerprint());
  }
}

// Returns the exit status of a process that runs `body`.
int status_of_process(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(TokenCacheRecoveryTest, ContinuesAfterTheProcessWasKilled) {
  add("a.jsonl", many_lines(70'000));
  const std::vector<std::string> expected = contents(get(2).folder);
  std::filesystem::remove_all(cache_folder());
  encoder_ = at_record(60'000, [] { ::raise(SIGKILL); });
  EXPECT_TRUE(WIFSIGNALED(status_of_process([&] { get(2); })));
  encoder_ = failing_at(20'000);
  const TokenCache cache = get(2);
  EXPECT_TRUE(contents(cache.folder) == expected);
}

TEST_F(TokenCacheRecoveryTest, TakesOverFromAProcessThatDies) {
  add("a.jsonl", many_lines(70'000));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    encoder_ = at_record(60'000, [&] {
      (void)!::write(ready[1], "", 1);
      ::pause();
    });
    get(1);
    ::_exit(0);
  }
  char byte = 1;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const CapturedLog log;
  encoder_ = failing_at(20'000);
  std::thread waiting([&] { EXPECT_TRUE(get(2).was_built); });
  log.wait_for("waiting for another process that builds the token cache");
  ::kill(child, SIGKILL);
  waiting.join();
  ::waitpid(child, nullptr, 0);
}

TEST_F(TokenCacheRecoveryTest, CutsPartsThatGrow) {
  add("a.jsonl", many_lines(3000));
  part_tokens_ = 1000;
  const TokenCache cache = get();
  expect_equal(*cache.documents);
  std::vector<std::uintmax_t> sizes;
  for (int i = 0;
       std::filesystem::exists(cache.folder / str("000", i < 10 ? "0" : "", i, ".tokens")); ++i)
    sizes.push_back(
        std::filesystem::file_size(cache.folder / str("000", i < 10 ? "0" : "", i, ".tokens")) / 2);
  ASSERT_GT(sizes.size(), 66);
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const std::uintmax_t least = 1000U << (i / 32);
    EXPECT_GE(sizes[i], least) << i;
    EXPECT_LT(sizes[i], least + 200) << i;
  }
}

TEST_F(TokenCacheRecoveryTest, RebuildsDamagedParts) {
  add_several();
  encoder_ = std::make_shared<TestEncoder>(300, /*has_weights=*/true);
  const TokenCache first = get();
  const std::vector<std::string> expected = contents(first.folder);
  for (const char* name : {"00000.ends", "00001.tokens", "00003.weights", "00002.hashes",
                           "00001.origins", "meta.json"}) {
    const std::filesystem::path path = first.folder / name;
    std::string bytes = content(path);
    if (path.extension() == ".ends")
      bytes[100] ^= 1;
    else
      bytes.pop_back();
    std::ofstream(path, std::ios::binary) << bytes;
    const CapturedLog log;
    EXPECT_TRUE(get().was_built) << name;
    EXPECT_THAT(log.text(), HasSubstr("the token cache is damaged and will be rebuilt: "));
    EXPECT_THAT(log.text(), HasSubstr(path.string()));
    EXPECT_TRUE(contents(first.folder) == expected) << name;
  }
  EXPECT_FALSE(get().was_built);
}

TEST_F(TokenCacheRecoveryTest, AnyFlippedBitIsFoundOnDemand) {
  add("a.jsonl", many_lines(100));
  encoder_ = std::make_shared<TestEncoder>(300, /*has_weights=*/true);
  const std::filesystem::path folder = get().folder;
  EXPECT_THAT(check_token_cache(folder).damage, testing::IsEmpty());
  for (const char* kind : {"tokens", "weights", "ends", "hashes", "origins"}) {
    const std::filesystem::path path = folder / str("00000.", kind);
    const std::string bytes = content(path);
    std::string damaged = bytes;
    damaged[damaged.size() / 2] ^= 16;
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_THAT(check_token_cache(folder).damage, testing::ElementsAre(HasSubstr(path.string())));
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::filesystem::remove(folder / "inputs.json");
  EXPECT_THAT(check_token_cache(folder).damage,
              testing::ElementsAre(HasSubstr("is not a token cache")));
  std::filesystem::remove(folder / "meta.json");
  EXPECT_FALSE(check_token_cache(folder).is_complete);
  EXPECT_TRUE(check_token_cache(cache_folder()).damage.empty());
}

TEST_F(TokenCacheRecoveryTest, NamesTheFileThatChanged) {
  add("a.jsonl", line("a"));
  const std::string changed = add("b.jsonl", line("b"));
  const std::string added = add("c.jsonl", line("c"));
  paths_.pop_back();
  auto log_of = [&] {
    const CapturedLog log;
    EXPECT_TRUE(get().was_built);
    return log.text();
  };
  EXPECT_THAT(log_of(), testing::Not(HasSubstr("since")));
  folder_.write("b.jsonl", line("bb"));
  EXPECT_THAT(log_of(), HasSubstr(changed + " has changed since"));
  paths_.push_back(added);
  EXPECT_THAT(log_of(), HasSubstr(added + " is new since"));
  paths_.erase(paths_.begin());
  EXPECT_THAT(log_of(), HasSubstr("a.jsonl is no longer among the files since"));
}

TEST_F(TokenCacheRecoveryTest, IsReadAfterItsFolderWasRemoved) {
  add_several();
  part_tokens_ = 30'000;
  const TokenCache cache = get();
  std::filesystem::remove_all(cache_folder());
  expect_equal(*cache.documents);
}

TEST_F(TokenCacheRecoveryTest, NamesTheSettingOfAFolderThatCannotBeWritten) {
  add("a.jsonl", line("a"));
  folder_.write("cache", "a file is in the way");
  try {
    get();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(cache_folder().string()));
    EXPECT_THAT(error.what(), HasSubstr("data.cache = FOLDER"));
  }
}

TEST_F(TokenCacheRecoveryTest, SkipsRecordsThatTheEncoderRejects) {
  add("a.jsonl", line("a") + line("!b") + "bad\n" + line("c"));
  add("b.jsonl", line("!d") + line("e"));
  encoder_ = std::make_shared<TestEncoder>(300);
  for (const int num_threads : {1, 3}) {
    std::filesystem::remove_all(cache_folder());
    EXPECT_NE(error_of({.skip_corrupt = 2}, num_threads), "");
    const TokenCache cache = get(num_threads, {.skip_corrupt = 3});
    EXPECT_EQ(cache.counts, (RecordCounts{.accepted = 3, .corrupt = 3}));
    EXPECT_EQ(cache.documents->length(1), 1);
    EXPECT_EQ(cache.documents->origin(1),
              (Origin{.file = paths_[0],
                      .record = 3,
                      .offset = std::ssize(line("a") + line("!b") + "bad\n")}));
    EXPECT_THAT(error_of({.skip_corrupt = 2}), HasSubstr("skip_corrupt is now 2"));
  }
}

TEST_F(TokenCacheRecoveryTest, NamesACorruptRecord) {
  const std::string path = add("a.jsonl", line("a") + line("!b"));
  encoder_ = std::make_shared<TestEncoder>(300);
  EXPECT_EQ(error_of({}), str(path, ": record 1 at byte ", line("a").size(), ": is rejected"));
  folder_.write("a.jsonl", line("a") + "bad\n" + line("!b"));
  for (const int num_threads : {1, 3})
    EXPECT_THAT(error_of({}, num_threads), HasSubstr(str(path, ": record 1 at byte ")));
}

TEST_F(TokenCacheRecoveryTest, NamesTheCorruptRecordThatExceedsTheNumberToSkip) {
  encoder_ = std::make_shared<TestEncoder>(300);
  add("a.jsonl", line("!a") + "bad\n");
  EXPECT_THAT(error_of({.skip_corrupt = 1}), HasSubstr("record 1 at byte "));
}

TEST_F(TokenCacheRecoveryTest, FailsIfAFileChanges) {
  const std::string path = add("a.jsonl", line("a"));
  const std::vector<DataFile> files = find_data_files(paths_);
  folder_.write("a.jsonl", line("a") + line("b"));
  try {
    cached_tokens(files, {}, encoder_, {.folder = cache_folder()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data_loss);
    EXPECT_THAT(error.what(), HasSubstr(path));
  }
}

TEST_F(TokenCacheRecoveryTest, WaitsForAnotherBuild) {
  add_several();
  const TokenCache first = get();
  std::filesystem::remove(first.folder / "meta.json");
  const CapturedLog log;
  auto lock = io::open_file_system(first.folder.string())->lock("lock", "test");
  ASSERT_NE(lock, nullptr);
  std::thread waiting([&] { EXPECT_TRUE(get().was_built); });
  log.wait_for("waiting for another process that builds the token cache");
  lock = nullptr;
  waiting.join();
  EXPECT_FALSE(get().was_built);
}

}  // namespace
}  // namespace meshwright::data
