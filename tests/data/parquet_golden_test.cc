// SPDX-License-Identifier: Apache-2.0
// Reads the Parquet files of tests/golden/parquet, and damaged copies.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/text/text_corpus.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFolder = GOLDEN_FOLDER;
constexpr std::int64_t kMaxRows = 1000;

std::vector<std::string> expected_values() {
  const std::string text = file_text(kFolder + "/expected.json");
  const JsonValue expected = parse_json(text, "expected.json");
  std::vector<std::string> out;
  for (const JsonValue& value : expected.at("texts").as_array())
    out.push_back(value.as_text());
  return out;
}

std::string golden(const std::string& name) {
  return kFolder + "/" + name + ".parquet";
}

RecordSettings skipping(const ParquetFormat& format = {}) {
  return {.format = format, .skip_corrupt = kMaxRows};
}

TEST(GoldenParquet, EveryFileHasTheTextsThatWereWritten) {
  const std::vector<std::string> expected = expected_values();
  const std::vector<DataFile> files = find_data_files({kFolder + "/*.parquet"});
  ASSERT_EQ(files.size(), 18U);
  for (const DataFile& file : files) {
    for (const int num_threads : {1, 3}) {
      RecordSettings settings = skipping();
      settings.num_threads = num_threads;
      const Outcome all = read_batches({file.path}, settings);
      EXPECT_EQ(all.error, "") << file.path;
      std::vector<std::string> values(expected.size(), "null");
      for (const Outcome::Item& item : all.items)
        values.at(static_cast<std::size_t>(item.number)) = "=" + item.fields.at(0);
      EXPECT_EQ(values, expected) << file.path;
      EXPECT_EQ(all.counts.accepted + all.counts.corrupt, std::ssize(expected)) << file.path;
      EXPECT_TRUE(read_all({file.path}, settings) == all) << file.path;
    }
  }
}

TEST(GoldenParquet, NamesTheRowOfANull) {
  const Outcome all = read_all({golden("arrow_zstd_2")}, {.format = ParquetFormat{}});
  EXPECT_THAT(all.texts(), ElementsAre("", "caf\xc3\xa9"));
  EXPECT_THAT(all.error, HasSubstr("arrow_zstd_2.parquet: record 2 at byte "));
  EXPECT_THAT(all.error, HasSubstr(": the field 'text' is null, expected a string"));
}

TEST(GoldenParquet, ReadsMessagesAndNestedColumns) {
  for (const std::string name :
       {"arrow_snappy_1", "arrow_gzip_2", "arrow_plain", "polars", "duckdb"}) {
    const Outcome all = read_all(
        {golden(name)}, {.format = ParquetFormat{.fields = {"meta.title"}, .messages = "chat"},
                         .filter = {.equal = {{"meta.ok", "true"}}}});
    ASSERT_EQ(all.error, "") << name;
    EXPECT_EQ(all.counts, (RecordCounts{.accepted = 62, .unequal = 62})) << name;
    for (const Outcome::Item& item : all.items) {
      std::vector<std::string> expected;
      for (std::int64_t i = 0; i < item.number % 4; ++i)
        expected.push_back(str(i % 2 == 0 ? "user" : "bot", ": ", item.number, " ", i));
      EXPECT_EQ(item.messages, expected) << name;
    }
    EXPECT_THAT(all.items.at(1).fields, ElementsAre("none"));
  }
}

TEST(GoldenParquet, CountsMessagesAgainstTheLimitOfARecord) {
  RecordSettings settings = skipping({.fields = {}, .messages = "chat"});
  settings.max_record_bytes = 50;
  const Outcome all = read_all({golden("polars")}, settings);
  EXPECT_EQ(all.counts, (RecordCounts{.accepted = 93, .corrupt = 31}));
}

TEST(GoldenParquet, ComparesNumbers) {
  for (const std::string name : {"arrow_lz4_1", "arrow_brotli_2", "arrow_delta_byte_array"}) {
    for (const FieldEquals& equal : {FieldEquals{"id", "57"}, FieldEquals{"score", "0.5"}}) {
      RecordSettings settings = skipping({.fields = {"meta.title"}});
      settings.filter.equal = {equal};
      const Outcome all = read_all({golden(name)}, settings);
      EXPECT_EQ(all.counts.accepted, equal.path == "id" ? 1 : 41) << name;
    }
  }
}

std::string error_of(const ParquetFormat& format, const std::vector<FieldEquals>& equal = {}) {
  try {
    return read_all({golden("arrow_none_1")}, {.format = format, .filter = {.equal = equal}}).error;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(GoldenParquet, RefusesColumnsThatDoNotSuit) {
  EXPECT_THAT(error_of({.fields = {"txt"}}),
              HasSubstr("has no column 'txt'; did you mean 'text'?"));
  EXPECT_THAT(error_of({.fields = {"meta.titel"}}), HasSubstr("did you mean 'title'?"));
  EXPECT_THAT(error_of({.fields = {"id"}}), HasSubstr("'id' is INT32, expected strings"));
  EXPECT_THAT(error_of({.fields = {"meta"}}), HasSubstr("'meta' is a struct, expected strings"));
  EXPECT_THAT(error_of({.messages = "text"}), HasSubstr("expected a list of structs"));
  EXPECT_THAT(error_of({}, {{"chat", "1"}}),
              HasSubstr("'chat' is LIST, expected strings, booleans"));
}

// Reads a damaged file. Only errors of the project's type may leave the reader.
Outcome read_damaged(const DataFolder& folder, std::string_view content) {
  const std::string path = folder.write("a.parquet", content);
  try {
    return read_all({path}, skipping({.fields = {"text"}}));
  } catch (const Error& error) {
    return {.error = error.what()};
  }
}

TEST(GoldenParquet, EveryTruncationIsAnError) {
  const DataFolder folder;
  const std::string whole = file_text(golden("fastparquet"));
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const Outcome all = read_damaged(folder, std::string_view(whole).substr(0, size));
    EXPECT_EQ(all.items.size(), 0U);
    EXPECT_TRUE(!all.error.empty() || all.counts.corrupt == 1) << size;
  }
}

TEST(GoldenParquet, ChecksumsFindEveryFlippedByteOfAPage) {
  const DataFolder folder;
  std::string content = file_text(golden("arrow_snappy_2"));
  const std::size_t at = content.find("caf\xc3\xa9");
  ASSERT_NE(at, std::string::npos);
  content[at] ^= 1;
  const Outcome all = read_all({folder.write("a.parquet", content)}, {.format = ParquetFormat{}});
  EXPECT_THAT(all.error, HasSubstr("a.parquet: record 0 at byte "));
  EXPECT_THAT(all.error, HasSubstr("row group 0, column 'text', page at byte "));
  EXPECT_THAT(all.error, HasSubstr("checksum mismatch"));
  EXPECT_EQ(read_all({folder.path("a.parquet")}, skipping()).items.front().number, 50);
}

TEST(GoldenParquet, SurvivesFlippedBytes) {
  const DataFolder folder;
  std::mt19937 random(3);
  for (const DataFile& file : find_data_files({kFolder + "/*.parquet"})) {
    const std::string whole = file_text(file.path);
    for (int i = 0; i < 100; ++i) {
      std::string content = whole;
      for (int flips = 0; flips < 1 + i % 3; ++flips) {
        const unsigned bit = 1U << (random() % 8);
        char& byte = content[random() % content.size()];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ bit);
      }
      EXPECT_LE(read_damaged(folder, content).items.size(), 124U);
    }
  }
}

TEST(GoldenParquet, RefusesEncryptedFilesByName) {
  const DataFolder folder;
  EXPECT_THAT(
      read_damaged(folder, "PARE" + std::string(20, 'x') + std::string(4, '\1') + "PARE").error,
      HasSubstr("encrypted Parquet file"));
}

TEST(GoldenParquet, RowsNameTheirRecords) {
  const CapturedLog log;
  const TemporaryFolder folder;
  const std::vector<std::string> values = expected_values();
  for (const RowKind rows : {RowKind::concatenated, RowKind::packed}) {
    TextConfig config;
    config.path = {golden("arrow_zstd_2")};
    config.skip_corrupt = kMaxRows;
    config.cache = (folder.path() / "cache").string();
    config.batch_size = 2;
    config.length = 60;
    config.rows = rows;
    const auto corpus = std::make_shared<const TextCorpus>(
        config, 7, (folder.path() / "run").string(), DataUse::batches);
    const SourcePtr source = corpus->training();
    for (std::int64_t step = 0; step < 20; ++step) {
      const std::vector<std::int32_t> ids = ints(source->batch(step, {1, 2}), kInputs);
      for (const RowPart& part : source->row_parts(step, 1)) {
        EXPECT_EQ(part.origin.file, golden("arrow_zstd_2"));
        const std::string& value = values.at(static_cast<std::size_t>(part.origin.record));
        const auto begin = static_cast<std::size_t>(part.origin.token);
        const std::int64_t in_inputs = std::min(part.length, 60 - part.begin);
        const std::string got = corpus->tokenizer().decode(std::span(ids).subspan(
            static_cast<std::size_t>(part.begin), static_cast<std::size_t>(in_inputs)));
        EXPECT_EQ(got, value.substr(1 + begin, got.size()));
      }
    }
  }
}

}  // namespace
}  // namespace meshwright::data
