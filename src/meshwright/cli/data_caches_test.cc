// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <iterator>

#include <gmock/gmock.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/cli/data_commands_testutil.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DataCaches : public DataCommands {
 protected:
  // Makes the caches of both parts of a mixture.
  DataCaches() { run(mixture("show")); }

  fs::path cache() const { return folder.path() / "cache"; }
  static std::int64_t num_caches(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }
  static void set_days_unused(const fs::path& path, int days) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(24 * days));
  }
};

TEST_F(DataCaches, ListsThoseOfAFolderOrConfig) {
  const std::string code = (folder.path() / "code.jsonl").string();
  const std::string printed = run({"caches", cache().string()}).out;
  EXPECT_THAT(printed, AllOf(HasSubstr(": current\n  " + code + "\n  10 documents, 40 tokens, "),
                             HasSubstr(str(cache().string(), ": 2 token caches, ")),
                             Not(HasSubstr("stale"))));
  EXPECT_EQ(run(mixture("caches")).code, 0);
  EXPECT_THAT(run(mixture("caches")).out, HasSubstr(": 2 token caches, "));
  EXPECT_EQ(num_caches(cache()), 2);
}

TEST_F(DataCaches, RemovesStaleOnesOnlyWhenAsked) {
  const std::string code = write("code.jsonl", "{\"text\": \"another\"}\n");
  EXPECT_THAT(run({"caches", cache().string()}).out,
              AllOf(HasSubstr(": stale, " + code + " has changed\n"),
                    HasSubstr("to remove 1 stale cache: --remove-stale\n")));
  EXPECT_EQ(num_caches(cache()), 2);
  EXPECT_THAT(run({"caches", cache().string(), "--remove-stale"}).out,
              HasSubstr(" has changed; removed\n"));
  EXPECT_EQ(num_caches(cache()), 1);
  EXPECT_THAT(run({"caches", cache().string()}).out, HasSubstr("prose.jsonl"));
}

TEST_F(DataCaches, RemovesWhatIsUnused) {
  const fs::path old = fs::directory_iterator(cache())->path(), index = cache() / "index";
  fs::create_directories(index);
  for (const char* name : {"a.numbers", "b.numbers", "c.other"})
    write("cache/index/" + std::string(name), "12345678");
  set_days_unused(old, 31);
  set_days_unused(index / "a.numbers", 31);
  EXPECT_THAT(
      run({"caches", cache().string()}).out,
      AllOf(HasSubstr(index.string() + ": 2 indexes, "), HasSubstr("last used 31d 00h ago")));
  run({"caches", cache().string(), "--remove-unused", "32"});
  EXPECT_TRUE(fs::exists(old));
  const JsonValue json =
      parse_json(run({"caches", cache().string(), "--remove-unused", "30", "--json"}).out, "out");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_EQ(num_caches(cache()), 2) << "the other cache and the index";
  EXPECT_FALSE(fs::exists(index / "a.numbers"));
  EXPECT_EQ(num_caches(index), 2);
  const JsonValue& last = json.at("caches").as_array().at(1);
  EXPECT_EQ(last.at("folder").as_text(), old.string());
  EXPECT_EQ(last.at("state").as_text(), "current");
  EXPECT_TRUE(last.at("removed").as_bool());
  EXPECT_TRUE(json.at("indexes").as_array().at(0).at("removed").as_bool());
}

TEST_F(DataCaches, ReportsMistakes) {
  EXPECT_THAT(message_of([] { run({"caches"}); }), HasSubstr("no config or folder is named"));
  EXPECT_THAT(message_of([] { run({"caches", "none"}); }), HasSubstr("none is no folder"));
  EXPECT_THAT(message_of([&] {
                run({"caches", cache().string(), "--remove-unused", "-1"});
              }),
              HasSubstr("no number of days"));
}

}  // namespace
}  // namespace meshwright::cli
