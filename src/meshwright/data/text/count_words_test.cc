// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/count_words.h"

#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/tokenizers/split/rule.h"

namespace meshwright::data {
namespace {

using Counts = std::map<std::string, std::int64_t>;

class CountWords : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    std::string path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  // Files of text are read in blocks.
  CountedWords count(const std::vector<std::string>& paths, const WordCountOptions& options = {}) {
    TextConfig config;
    config.path = {paths.begin(), paths.end()};
    config.split = TextSplit::blocks;
    config.skip_corrupt = skip_corrupt_;
    return count_words(record_files(config, config.path), *splitter_, options);
  }

  TemporaryFolder folder_;
  tokenizers::SplitterPtr splitter_ = tokenizers::splitter_for(tokenizers::named_patterns("gpt2"));
  std::int64_t skip_corrupt_ = 0;
};

Counts counts_of(const CountedWords& counted) {
  Counts out;
  counted.words.for_each(
      [&](std::string_view word, std::int64_t count) { out.emplace(word, count); });
  return out;
}

TEST_F(CountWords, ReadsTextAndRecords) {
  const std::string text = write("a.txt", "the cat\nthe dog");
  const std::string records = write("b.jsonl", R"({"text": "the cat", "id": 1})"
                                               "\n"
                                               R"({"text": "a cat"})");
  const CountedWords counted = count({text, records});
  EXPECT_EQ(counts_of(counted),
            (Counts{{"the", 3}, {" cat", 3}, {"\n", 1}, {" dog", 1}, {"a", 1}}));
  EXPECT_EQ(counted.amounts.num_documents, 3);
  EXPECT_EQ(counted.amounts.num_bytes, 15 + 7 + 5);
  EXPECT_EQ(counted.amounts.num_words, 9);
}

TEST_F(CountWords, DoesNotDependOnTheNumberOfThreads) {
  std::string text;
  for (int i = 0; i < 60'000; ++i)
    text += str("word", i % 1000, " and ", i % 77, i % 5 == 0 ? "\n" : " ");
  const std::string large = write("large.txt", text);
  std::string lines;
  for (int i = 0; i < 5'000; ++i)
    lines += str(R"({"text": "record )", i % 100, R"( \u4e2d"})", "\n");
  const std::vector<std::string> paths = {large, write("small.jsonl", lines)};
  const CountedWords one = count(paths, {.num_threads = 1});
  EXPECT_EQ(one.amounts.num_documents, 5'001) << "a file in blocks is one document";
  for (const int num_threads : {2, 5}) {
    const CountedWords several = count(paths, {.num_threads = num_threads});
    EXPECT_EQ(counts_of(several), counts_of(one));
    EXPECT_EQ(several.amounts.num_bytes, one.amounts.num_bytes);
    EXPECT_EQ(several.amounts.num_documents, one.amounts.num_documents);
  }
}

TEST_F(CountWords, ReadsTheBeginningOfEachFile) {
  std::string first, second;
  for (int i = 0; i < 4'000; ++i)
    first += str(R"({"text": "aa"})", "\n");
  for (int i = 0; i < 1'000; ++i)
    second += str(R"({"text": "bb"})", "\n");
  const std::vector<std::string> paths = {write("a.jsonl", first), write("b.jsonl", second)};
  for (const int num_threads : {1, 3}) {
    const CountedWords counted = count(paths, {.num_threads = num_threads, .max_bytes = 1'000});
    // The last document of each file may go a little further.
    EXPECT_EQ(counts_of(counted), (Counts{{"aa", 401}, {"bb", 101}}));
  }
}

TEST_F(CountWords, PassesErrorsOn) {
  const std::string path = write("a.jsonl", "{\"text\": \"a\"}\nnot json\n");
  EXPECT_THROW(count({path}, {.num_threads = 3}), Error);
  skip_corrupt_ = 1;
  const CountedWords counted = count({path});
  EXPECT_EQ(counted.records.corrupt, 1);
  EXPECT_EQ(counts_of(counted), (Counts{{"a", 1}}));
  EXPECT_THROW(count({path}, {.num_threads = 0}), Error);
}

}  // namespace
}  // namespace meshwright::data
