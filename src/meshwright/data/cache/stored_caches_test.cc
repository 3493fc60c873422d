// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/stored_caches.h"

#include <chrono>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/data/cache/cache_lock.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/core/last_use.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class StoredCachesTest : public testing::Test {
 protected:
  std::string write(const std::string& name, int num_records) const {
    std::string lines;
    for (int i = 0; i < num_records; ++i)
      lines += "{\"text\": \"abc\"}\n";
    return folder.write(name, lines);
  }
  TokenCache build(const std::vector<std::string>& paths) const {
    return cached_tokens(find_data_files(paths), {.format = JsonlFormat{}},
                         text_encoder(tokenizers::byte_tokenizer()),
                         {.folder = folder.path("cache"), .num_threads = 1});
  }
  std::vector<StoredCache> stored() const { return find_stored_caches(folder.path("cache")); }
  static void set_age(const fs::path& path, std::chrono::seconds age) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
  }

  DataFolder folder;
};

TEST_F(StoredCachesTest, DescribesEachCache) {
  EXPECT_THAT(stored(), IsEmpty());
  const std::string a = write("a.jsonl", 5), b = write("b.jsonl", 2);
  const TokenCache both = build({a, b}), one = build({b});
  set_age(one.folder, std::chrono::hours(2));
  fs::create_directories(fs::path(folder.path("cache")) / "index");
  fs::create_directories(fs::path(folder.path("cache")) / "of another program");

  const std::vector<StoredCache> found = stored();
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].folder, both.folder) << "the last used comes first";
  EXPECT_EQ(found[0].state, CacheState::current);
  EXPECT_EQ(found[0].reason, "");
  EXPECT_THAT(found[0].files, ElementsAre(a, b));
  EXPECT_EQ(found[0].num_documents, 7);
  EXPECT_EQ(found[0].num_tokens, 21);
  EXPECT_GT(found[0].num_bytes, 21);
  EXPECT_EQ(found[1].folder, one.folder);
}

TEST_F(StoredCachesTest, NamesTheFileThatMakesACacheStale) {
  const std::string a = write("a.jsonl", 5), b = write("b.jsonl", 2);
  build({a, b});
  std::ofstream(b, std::ios::app) << "{}\n";
  EXPECT_EQ(stored().at(0).state, CacheState::stale);
  EXPECT_EQ(stored().at(0).reason, b + " has changed");
  fs::remove(a);
  EXPECT_EQ(stored().at(0).reason, a + " no longer exists");
}

TEST_F(StoredCachesTest, NoticesAChangeOfTheSameSize) {
  const std::string a = write("a.jsonl", 5);
  build({a});
  set_age(a, std::chrono::hours(1));
  EXPECT_EQ(stored().at(0).state, CacheState::stale);
}

// Relative paths are those of the folder in which the run was started.
TEST_F(StoredCachesTest, FindsFilesFromAnyWorkingFolder) {
  const fs::path before = fs::current_path();
  write("a.jsonl", 5);
  fs::current_path(folder.path(""));
  const fs::path cache = build({"a.jsonl"}).folder;
  fs::current_path("/");
  const std::vector<StoredCache> found = stored();
  std::string inputs;
  std::getline(std::ifstream(cache / "inputs.json"), inputs, '\0');
  const std::string key = "\"working_folder\"";
  inputs.replace(inputs.find(key), key.size(), "\"unknown_key\"");
  std::ofstream(cache / "inputs.json") << inputs;
  const std::vector<StoredCache> of_unknown_folder = stored();
  fs::current_path(before);
  EXPECT_EQ(found.at(0).state, CacheState::current);
  EXPECT_EQ(of_unknown_folder.at(0).state, CacheState::unknown);
}

TEST_F(StoredCachesTest, TellsUnfinishedAndForeignCachesApart) {
  const fs::path cache = build({write("a.jsonl", 5)}).folder;
  std::string inputs;
  std::getline(std::ifstream(cache / "inputs.json"), inputs, '\0');
  const auto state_with = [&](const std::string& text) {
    std::ofstream(cache / "inputs.json") << text;
    return stored().at(0).state;
  };
  EXPECT_EQ(state_with(R"({"format": 1})"), CacheState::stale);
  EXPECT_EQ(state_with(R"({"format": 1000})"), CacheState::unknown);
  EXPECT_EQ(state_with("{"), CacheState::unknown);
  fs::remove(cache / "meta.json");
  EXPECT_EQ(state_with(inputs), CacheState::incomplete);
}

TEST_F(StoredCachesTest, ACacheThatIsOpenedIsUsed) {
  const std::string a = write("a.jsonl", 5);
  const fs::path cache = build({a}).folder;
  set_age(cache, std::chrono::hours(50));
  const std::int64_t before = stored().at(0).last_use_seconds;
  build({a});
  EXPECT_GT(stored().at(0).last_use_seconds, before + std::int64_t{49} * 3600);
}

TEST_F(StoredCachesTest, RemovesACacheUnlessItIsBeingBuilt) {
  const std::string a = write("a.jsonl", 5);
  const TokenCache cache = build({a});
  const auto files = io::open_file_system(cache.folder.string());
  {
    const auto lock = lock_cache(*files);
    EXPECT_FALSE(remove_stored_cache(stored().at(0)));
  }
  EXPECT_TRUE(remove_stored_cache(stored().at(0)));
  EXPECT_FALSE(fs::exists(cache.folder));
  EXPECT_EQ(whole_document(*cache.documents, 4).size(), 3) << "it can still be read";
  EXPECT_TRUE(build({a}).was_built);
}

}  // namespace
}  // namespace meshwright::data
