// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/token_cache.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/record_reader.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/io/file_system.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;

using Tokens = std::vector<std::int32_t>;

std::string line(std::string_view text) {
  return str("{\"text\": \"", text, "\"}\n");
}

// Several batches of records.
std::string many_lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += line(str("record ", i, std::string(static_cast<std::size_t>(i % 97), 'x')));
  return out;
}

RecordEncoderPtr bytes_encoder() {
  return text_encoder(tokenizers::byte_tokenizer());
}

// One token per byte. Rejects texts that begin with '!'.
class TestEncoder : public RecordEncoder {
 public:
  explicit TestEncoder(std::int64_t vocab_size, bool has_weights = false)
      : vocab_size_(vocab_size), has_weights_(has_weights) {}
  std::string digest() const override { return str("test ", vocab_size_, " ", has_weights_); }
  std::int64_t vocab_size() const override { return vocab_size_; }
  bool has_weights() const override { return has_weights_; }
  void encode(const Record& record, EncodedRecord& out) const override {
    for (const char c : record.text()) {
      out.tokens.push_back(static_cast<std::int32_t>(vocab_size_ - 1 - c));
      if (has_weights_) out.weights.push_back(c == 'b' ? 0 : 1);
    }
    if (record.text().starts_with('!')) fail(ErrorCode::invalid_argument, "is rejected");
  }

 private:
  std::int64_t vocab_size_;
  bool has_weights_;
};

// Fails at a text, but otherwise equals the encoder of bytes.
class FailingEncoder : public RecordEncoder {
 public:
  explicit FailingEncoder(std::string failing) : failing_(std::move(failing)) {}
  std::string digest() const override { return base_->digest(); }
  std::int64_t vocab_size() const override { return base_->vocab_size(); }
  void encode(const Record& record, EncodedRecord& out) const override {
    if (record.text().starts_with(failing_)) fail(ErrorCode::unavailable, "failed at ", failing_);
    base_->encode(record, out);
  }

 private:
  std::string failing_;
  RecordEncoderPtr base_ = bytes_encoder();
};

class TokenCacheTest : public testing::Test {
 protected:
  std::string add(const std::string& name, std::string_view content) {
    paths_.push_back(folder_.write(name, content));
    return paths_.back();
  }
  void add_several() {
    add("a.jsonl", many_lines(9000));
    add("b.jsonl.gz", gzipped(many_lines(3000)));
    add("c.jsonl", "");
    add("d.jsonl", line("the last") + line(""));
  }
  TokenCache get(int num_threads = 1, const RecordSettings& records = {}) const {
    return cached_tokens(find_data_files(paths_), records, encoder_,
                         {.folder = cache_folder(), .num_threads = num_threads});
  }
  std::string error_of(const RecordSettings& records, int num_threads = 1) const {
    try {
      get(num_threads, records);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data_loss);
      return error.what();
    }
    return "";
  }
  std::filesystem::path cache_folder() const { return folder_.path("cache"); }

  // Compares with the records encoded in memory.
  void expect_equal(const Documents& documents) const {
    RecordReader reader(find_data_files(paths_), {});
    std::int64_t document = 0;
    while (std::optional<Record> record = reader.next()) {
      EncodedRecord expected;
      encoder_->encode(*record, expected);
      ASSERT_LT(document, documents.num_documents());
      ASSERT_EQ(whole_document(documents, document), expected.tokens);
      ASSERT_EQ(documents.content_hash(document), hash_of_tokens(expected.tokens));
      ASSERT_EQ(documents.origin(document), (Origin{.file = paths_[record->file],
                                                    .record = record->number,
                                                    .offset = record->offset}));
      ++document;
    }
    EXPECT_EQ(document, documents.num_documents());
  }

  DataFolder folder_;
  std::vector<std::string> paths_;
  RecordEncoderPtr encoder_ = bytes_encoder();
};

std::string content(const std::filesystem::path& path) {
  return io::read_text(*io::open_file_system(path.parent_path().string()),
                       path.filename().string());
}

// The files of a cache that determine its documents.
std::vector<std::string> contents(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : io::open_file_system(folder.string())->list("")) {
    if (entry.name != "lock") out.push_back(str(entry.name, ": ", content(folder / entry.name)));
  }
  return out;
}

TEST_F(TokenCacheTest, EqualsRecordsEncodedInMemory) {
  add_several();
  const TokenCache cache = get();
  EXPECT_TRUE(cache.was_built);
  EXPECT_EQ(cache.counts, RecordCounts{.accepted = 12002});
  EXPECT_EQ(cache.num_tokens, num_tokens(*cache.documents));
  EXPECT_EQ(cache.folder.parent_path(), cache_folder());
  expect_equal(*cache.documents);
}

TEST_F(TokenCacheTest, ReadsRanges) {
  add("a.jsonl", line("abc") + line("defghi"));
  const TokenCache cache = get();
  Tokens out(3);
  cache.documents->read(1, 2, out);
  EXPECT_EQ(out, (Tokens{'f', 'g', 'h'}));
  cache.documents->read(1, 6, {});
}

TEST_F(TokenCacheTest, StoresTokensOfAnyVocabulary) {
  add("a.jsonl", line("abc") + line("de"));
  for (const std::int64_t size : {256, 257, 65536, 65537, 1 << 30}) {
    encoder_ = std::make_shared<TestEncoder>(size);
    expect_equal(*get().documents);
  }
}

TEST_F(TokenCacheTest, DoesNotDependOnTheNumberOfThreads) {
  add("big.jsonl", many_lines(40'000));  // not small, see encode_files()
  add_several();
  const TokenCache cache = get(1);
  const std::vector<std::string> expected = contents(cache.folder);
  for (const int num_threads : {2, 5, 0}) {
    std::filesystem::remove_all(cache_folder());
    const TokenCache other = get(num_threads);
    EXPECT_EQ(other.counts, cache.counts);
    EXPECT_EQ(other.documents->fingerprint(), cache.documents->fingerprint());
    EXPECT_TRUE(contents(other.folder) == expected) << num_threads;
  }
}

TEST_F(TokenCacheTest, IsReusedWithoutReadingTheInput) {
  add_several();
  const std::vector<DataFile> files = find_data_files(paths_);
  const TokenCacheOptions options{.folder = cache_folder(), .num_threads = 1};
  const TokenCache first = cached_tokens(files, {}, encoder_, options);
  for (const std::string& path : paths_)
    std::filesystem::remove(path);
  const TokenCache second = cached_tokens(files, {.num_threads = 3}, bytes_encoder(), options);
  EXPECT_FALSE(second.was_built);
  EXPECT_EQ(second.counts, first.counts);
  EXPECT_EQ(second.num_tokens, first.num_tokens);
  EXPECT_EQ(second.folder, first.folder);
  EXPECT_EQ(second.documents->fingerprint(), first.documents->fingerprint());
  EXPECT_EQ(whole_document(*second.documents, 7), whole_document(*first.documents, 7));
}

TEST_F(TokenCacheTest, DependsOnFilesSettingsAndEncoder) {
  add("a.jsonl", line("abc") + line("d"));
  const TokenCache first = get();
  folder_.write("a.jsonl", line("abx") + line("d"));
  const TokenCache changed = get();
  EXPECT_TRUE(changed.was_built);
  EXPECT_NE(changed.folder, first.folder);
  EXPECT_NE(changed.documents->fingerprint(), first.documents->fingerprint());
  expect_equal(*changed.documents);

  const TokenCache filtered = get(1, {.filter = {.min_bytes = 2}});
  EXPECT_TRUE(filtered.was_built);
  EXPECT_EQ(filtered.counts, (RecordCounts{.accepted = 1, .too_short = 1}));
  encoder_ = std::make_shared<TestEncoder>(300);
  EXPECT_TRUE(get().was_built);
}

TEST_F(TokenCacheTest, ContinuesAnInterruptedBuild) {
  add_several();
  const TokenCache first = get();
  const std::vector<std::string> expected = contents(first.folder);
  std::filesystem::remove(first.folder / "meta.json");
  std::filesystem::remove(first.folder / "00001.json");
  const auto kept = std::filesystem::last_write_time(first.folder / "00000.tokens");
  const auto removed = std::filesystem::last_write_time(first.folder / "00001.tokens");
  TokenCacheProgress last;
  const TokenCache second = cached_tokens(
      find_data_files(paths_), {}, encoder_,
      {.folder = cache_folder(), .progress = [&](const auto& progress) { last = progress; }});
  EXPECT_TRUE(second.was_built);
  EXPECT_EQ(std::filesystem::last_write_time(first.folder / "00000.tokens"), kept);
  EXPECT_NE(std::filesystem::last_write_time(first.folder / "00001.tokens"), removed);
  EXPECT_TRUE(contents(second.folder) == expected);
  EXPECT_EQ(last.bytes_read, last.num_bytes);
  EXPECT_EQ(last.num_records, second.counts.accepted);
  EXPECT_EQ(last.num_tokens, second.num_tokens);
}

TEST_F(TokenCacheTest, ContinuesAFailedBuild) {
  add("a.jsonl", many_lines(30'000) + line("only in a"));
  add("b.jsonl", many_lines(40'000));  // neither is small, see encode_files()
  const std::vector<std::string> expected = contents(get().folder);
  for (const int num_threads : {1, 3}) {
    std::filesystem::remove_all(cache_folder());
    encoder_ = std::make_shared<FailingEncoder>("record 35000");
    try {
      get(num_threads);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("failed at record 35000"));
    }
    // The first file is finished and not encoded again.
    encoder_ = std::make_shared<FailingEncoder>("only in a");
    const TokenCache cache = get(num_threads);
    EXPECT_TRUE(cache.was_built);
    EXPECT_TRUE(contents(cache.folder) == expected) << num_threads;
  }
}

TEST_F(TokenCacheTest, RebuildsDamagedParts) {
  add_several();
  encoder_ = std::make_shared<TestEncoder>(300, /*has_weights=*/true);
  const TokenCache first = get();
  const std::vector<std::string> expected = contents(first.folder);
  for (const char* name : {"00000.documents", "00001.tokens", "00003.weights", "meta.json"}) {
    const std::filesystem::path path = first.folder / name;
    std::string bytes = content(path);
    if (path.extension() == ".documents")
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

TEST_F(TokenCacheTest, OpensEmptyCorpora) {
  const TokenCacheOptions options{.folder = cache_folder()};
  EXPECT_EQ(cached_tokens({}, {}, encoder_, options).documents->num_documents(), 0);
  EXPECT_FALSE(cached_tokens({}, {}, encoder_, options).was_built);
  add("a.jsonl", "");
  const TokenCache cache = get();
  EXPECT_EQ(cache.documents->num_documents(), 0);
  EXPECT_EQ(cache.num_tokens, 0);
}

TEST_F(TokenCacheTest, KeepsWeights) {
  add("a.jsonl", line("abc") + line("") + line("bb"));
  encoder_ = std::make_shared<TestEncoder>(300, /*has_weights=*/true);
  const TokenCache cache = get();
  ASSERT_TRUE(cache.documents->has_weights());
  std::vector<float> weights(2);
  cache.documents->read_weights(0, 1, weights);
  EXPECT_EQ(weights, (std::vector<float>{0, 1}));
  cache.documents->read_weights(2, 0, weights);
  EXPECT_EQ(weights, (std::vector<float>{0, 0}));
}

TEST_F(TokenCacheTest, WeightsAreOneWithoutAnyInTheEncoder) {
  add("a.jsonl", line("ab"));
  const TokenCache cache = get();
  EXPECT_FALSE(cache.documents->has_weights());
  std::vector<float> weights(2);
  cache.documents->read_weights(0, 0, weights);
  EXPECT_EQ(weights, (std::vector<float>{1, 1}));
}

TEST_F(TokenCacheTest, SkipsRecordsThatTheEncoderRejects) {
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

TEST_F(TokenCacheTest, NamesACorruptRecord) {
  const std::string path = add("a.jsonl", line("a") + line("!b"));
  encoder_ = std::make_shared<TestEncoder>(300);
  EXPECT_EQ(error_of({}), str(path, ": record 1 at byte ", line("a").size(), ": is rejected"));
  folder_.write("a.jsonl", line("a") + "bad\n" + line("!b"));
  for (const int num_threads : {1, 3})
    EXPECT_THAT(error_of({}, num_threads), HasSubstr(str(path, ": record 1 at byte ")));
}

TEST_F(TokenCacheTest, NamesTheCorruptRecordThatExceedsTheNumberToSkip) {
  encoder_ = std::make_shared<TestEncoder>(300);
  add("a.jsonl", line("!a") + "bad\n");
  EXPECT_THAT(error_of({.skip_corrupt = 1}), HasSubstr("record 1 at byte "));
}

TEST_F(TokenCacheTest, FailsIfAFileChanges) {
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

TEST_F(TokenCacheTest, WaitsForAnotherBuild) {
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

TEST_F(TokenCacheTest, OpensMoreFilesThanItKeepsOpen) {
  for (int i = 0; i < 200; ++i)
    add(str("f", 1000 + i, ".jsonl"), line(str("text ", i)));
  expect_equal(*get(4).documents);
}

}  // namespace
}  // namespace meshwright::data
