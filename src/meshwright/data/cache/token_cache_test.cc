// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/token_cache.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/data/cache/token_cache_testutil.h"

namespace meshwright::data {
namespace {

using Tokens = std::vector<std::int32_t>;

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

TEST_F(TokenCacheTest, ReportsProgressInsideAFile) {
  for (const bool is_compressed : {false, true}) {
    const std::string text = many_lines(120'000);
    paths_ = {folder_.write("a.jsonl", is_compressed ? zstd_compressed(text) : text)};
    std::vector<std::int64_t> bytes;
    std::int64_t size = 0;
    cached_tokens(find_data_files(paths_), {}, encoder_,
                  {.folder = cache_folder(),
                   .num_threads = 1,
                   .progress =
                       [&](const TokenCacheProgress& progress) {
                         bytes.push_back(progress.bytes_read);
                         size = progress.num_bytes;
                       },
                   .progress_interval = std::chrono::milliseconds(0)});
    ASSERT_GT(bytes.size(), 3);
    EXPECT_TRUE(std::ranges::is_sorted(bytes));
    EXPECT_GT(bytes.front(), 0);
    EXPECT_LT(bytes.front(), size);
    EXPECT_EQ(bytes.back(), size);
  }
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

TEST_F(TokenCacheTest, KeepsWeightsOfManyDocuments) {
  std::string lines;
  for (int i = 0; i < 5000; ++i)
    lines += line(i % 3 == 0 ? "ab" : i % 3 == 1 ? "bbbbb" : "abbacbabc");
  add("a.jsonl", lines);
  part_tokens_ = 1001;
  encoder_ = std::make_shared<TestEncoder>(300, /*has_weights=*/true);
  const TokenCache cache = get(3);
  for (std::int64_t i = 0; i < 5000; ++i) {
    std::vector<float> weights(static_cast<std::size_t>(cache.documents->length(i)));
    cache.documents->read_weights(i, 0, weights);
    for (std::size_t k = 0; k < weights.size(); ++k)
      ASSERT_EQ(weights[k], whole_document(*cache.documents, i)[k] == 299 - 'b' ? 0 : 1);
  }
}

TEST_F(TokenCacheTest, WeightsAreOneWithoutAnyInTheEncoder) {
  add("a.jsonl", line("ab"));
  const TokenCache cache = get();
  EXPECT_FALSE(cache.documents->has_weights());
  std::vector<float> weights(2);
  cache.documents->read_weights(0, 0, weights);
  EXPECT_EQ(weights, (std::vector<float>{1, 1}));
}

TEST_F(TokenCacheTest, ManySmallFilesShareAPart) {
  for (int i = 0; i < 3000; ++i)
    add(str("f", 10000 + i, ".jsonl"), i % 5 == 0 ? "" : line(str("text ", i)));
  const TokenCache cache = get(4);
  expect_equal(*cache.documents);
  EXPECT_TRUE(std::filesystem::exists(cache.folder / "00000.tokens"));
  EXPECT_FALSE(std::filesystem::exists(cache.folder / "00001.tokens"));
  EXPECT_EQ(cache.documents->files().size(), 3000);
}

}  // namespace
}  // namespace meshwright::data
