// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/number_store.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/documents/documents_testutil.h"
#include "meshwright/data/documents/rows.h"
#include "meshwright/data/documents/views.h"

namespace meshwright::data {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

// Counts how often arrays are made.
class NumberStoreTest : public testing::Test {
 protected:
  Numbers get(const NumberStore& store, std::string_view key, std::int64_t size) {
    return store.get(key, [&](const AppendNumber& append) {
      ++num_made_;
      for (std::int64_t i = 0; i < size; ++i)
        append(i * i - 7);
    });
  }
  static std::vector<std::int64_t> expected(std::int64_t size) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < size; ++i)
      out.push_back(i * i - 7);
    return out;
  }
  std::filesystem::path the_file() const {
    return std::filesystem::directory_iterator(path())->path();
  }
  std::filesystem::path path() const { return folder_.path() / "index"; }

  TemporaryFolder folder_;
  int num_made_ = 0;
};

TEST_F(NumberStoreTest, MakesAnArrayOnceForEachKey) {
  const NumberStore store(path());
  for (const std::int64_t size : {0, 1, 300'000}) {
    num_made_ = 0;
    const std::string key = std::to_string(size);
    for (int i = 0; i < 3; ++i) {
      const Numbers found = get(i < 2 ? store : NumberStore(path()), key, size);
      EXPECT_THAT(found.values(), ElementsAreArray(expected(size)));
    }
    EXPECT_EQ(num_made_, 1);
  }
  get(store, "another", 1);
  EXPECT_EQ(num_made_, 2);
}

TEST_F(NumberStoreTest, KeepsArraysInMemoryWithoutAFolder) {
  const Numbers found = get(NumberStore(), "key", 5);
  EXPECT_THAT(found.values(), ElementsAreArray(expected(5)));
  EXPECT_EQ(found.without_first()[0], -6);
}

TEST_F(NumberStoreTest, MakesADamagedArrayAgain) {
  const NumberStore store(path());
  get(store, "key", 100);
  for (const bool truncate : {false, true}) {
    std::fstream file(the_file(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(50);
    file.put('\x55');
    file.close();
    if (truncate) std::filesystem::resize_file(the_file(), 20);
    const CapturedLog log;
    EXPECT_THAT(get(store, "key", 100).values(), ElementsAreArray(expected(100)));
    EXPECT_THAT(log.text(), HasSubstr(the_file().string()));
  }
  EXPECT_EQ(num_made_, 3);
}

TEST_F(NumberStoreTest, KeepsArraysInMemoryIfTheFolderCannotBeWritten) {
  std::ofstream(path()) << "a file is in the way";
  const CapturedLog log;
  EXPECT_THAT(get(NumberStore(path()), "key", 5).values(), ElementsAreArray(expected(5)));
  EXPECT_THAT(log.text(), HasSubstr("kept in memory"));
}

TEST_F(NumberStoreTest, AnArrayOutlivesItsFile) {
  const Numbers found = get(NumberStore(path()), "key", 10'000);
  std::filesystem::remove_all(path());
  EXPECT_THAT(found.values(), ElementsAreArray(expected(10'000)));
}

TEST_F(NumberStoreTest, ListsItsFilesWithTheirLastUse) {
  const NumberStore store(path());
  EXPECT_TRUE(store.files().empty());
  get(store, "a", 5);
  const std::filesystem::path file = the_file();
  std::ofstream(path() / "other.txt") << "not an array";
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(10));
  const std::vector<StoredNumbers> before = store.files();
  ASSERT_EQ(before.size(), 1);
  EXPECT_EQ(before[0].num_bytes, 5 * 8 + 32);
  get(store, "a", 5);
  EXPECT_GT(store.files().at(0).last_use_seconds,
            before[0].last_use_seconds + std::int64_t{9} * 3600);
}

TEST_F(NumberStoreTest, RowsAndSplitsAreTheSameFromFiles) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 3000; ++i)
    lengths.push_back(i * i % 97);
  const DocumentsPtr documents = numbered_documents(lengths);
  const NumberStore files(path());
  constexpr threefry::KeyWords kRowKey = {1, 2};
  for (int i = 0; i < 2; ++i) {
    const Split kept = hold_out(documents, 0.1), stored = hold_out(documents, 0.1, files);
    EXPECT_EQ(stored.training->fingerprint(), kept.training->fingerprint());
    EXPECT_EQ(stored.held_out->fingerprint(), kept.held_out->fingerprint());
    EXPECT_EQ(stored.training->num_tokens(), stored.training->Documents::num_tokens());
    EXPECT_EQ(stored.held_out->num_tokens(), stored.held_out->Documents::num_tokens());
    const auto expect_same = [](const RowPlan& a, const RowPlan& b) {
      ASSERT_EQ(a.num_rows(), b.num_rows());
      for (std::int64_t row = 0; row < a.num_rows(); ++row)
        ASSERT_EQ(a.row(row), b.row(row));
    };
    const DocumentsPtr& training = kept.training;
    for (const std::int64_t length : {16, 33}) {
      expect_same(*concatenated_rows(training, length, kRowKey),
                  *concatenated_rows(training, length, kRowKey, files));
      for (const LongDocuments how : {LongDocuments::cut, LongDocuments::truncate}) {
        expect_same(*packed_rows(training, length, kRowKey, how),
                    *packed_rows(training, length, kRowKey, how, files));
        expect_same(*single_rows(training, length, how),
                    *single_rows(training, length, how, files));
      }
    }
  }
}

}  // namespace
}  // namespace meshwright::data
