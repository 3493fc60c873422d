// SPDX-License-Identifier: Apache-2.0
// Reads the Parquet files of tests/golden/parquet, and damaged copies.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/records_testutil.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFolder = GOLDEN_FOLDER;
constexpr std::int64_t kMaxRows = 1000;

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> expected_values() {
  const std::string text = content_of(kFolder + "/expected.json");
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
  const std::string whole = content_of(golden("fastparquet"));
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const Outcome all = read_damaged(folder, std::string_view(whole).substr(0, size));
    EXPECT_EQ(all.items.size(), 0U);
    EXPECT_TRUE(all.error != "" || all.counts.corrupt == 1) << size;
  }
}

TEST(GoldenParquet, ChecksumsFindEveryFlippedByteOfAPage) {
  const DataFolder folder;
  std::string content = content_of(golden("arrow_snappy_2"));
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
    const std::string whole = content_of(file.path);
    for (int i = 0; i < 100; ++i) {
      std::string content = whole;
      for (int flips = 0; flips < 1 + i % 3; ++flips)
        content[random() % content.size()] ^= static_cast<char>(1U << (random() % 8));
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

}  // namespace
}  // namespace meshwright::data
