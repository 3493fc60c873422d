// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/ocdbt/database.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/ocdbt/manifest.h"
#include "meshwright/io/ocdbt/node.h"
#include "meshwright/io/ocdbt/writer.h"

namespace meshwright::io {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Ocdbt, ValuesOfAllSizesReadBack) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->make_folder("db");
  files->sync_folder("");
  OcdbtWriter writer(files, "db");
  std::map<std::string, std::string> values;
  for (const std::size_t size : {0U, 1U, 1024U, 1025U, 5000U})
    values[str("array.w/", size)] = std::string(size, static_cast<char>('a' + size % 26));
  for (const auto& [key, value] : values)
    write_text(*writer.files(), key, value, Durability::synced);
  writer.finish();
  files->lose_power();
  const auto database = open_ocdbt(files, "db");
  for (const auto& [key, value] : values)
    EXPECT_EQ(read_text(*database, key), value) << key;
  EXPECT_EQ(database->list("array.w").size(), values.size());
}

TEST(Ocdbt, ALaterWriterTakesValuesOfAnUnfinishedOne) {
  auto files = std::make_shared<MemoryFileSystem>();
  const std::string first(2000, '1');
  const std::string second(3000, '2');
  std::string receipt;
  {
    OcdbtWriter unfinished(files, "db");
    write_text(*unfinished.files(), "first", first);
    write_text(*unfinished.files(), "inline", "short");
    unfinished.sync();
    receipt = unfinished.receipt("first");
    EXPECT_EQ(unfinished.receipt("inline"), "");
  }
  {
    OcdbtWriter of_no_use(files, "db");
    write_text(*of_no_use.files(), "first", second);
  }
  OcdbtWriter writer(files, "db");
  EXPECT_FALSE(writer.keep("inline", ""));
  EXPECT_FALSE(writer.keep("gone", "d/00 0 10"));
  EXPECT_TRUE(writer.keep("first", receipt));
  write_text(*writer.files(), "second", second);
  writer.finish();
  const auto database = open_ocdbt(files, "db");
  EXPECT_EQ(read_text(*database, "first"), first);
  EXPECT_EQ(read_text(*database, "second"), second);
  EXPECT_EQ(database->list("").size(), 2);
  EXPECT_EQ(files->list("db/d").size(), 2);
}

TEST(Ocdbt, ADatabaseWithoutKeysReadsBack) {
  auto files = std::make_shared<MemoryFileSystem>();
  OcdbtWriter(files, "db").files();
  EXPECT_FALSE(is_ocdbt(*files, "db"));
}

// A node may not refer to files outside of the database.
TEST(Ocdbt, PathsStayWithinTheFolder) {
  for (const std::string path : {"../secret", "/etc/passwd", "d/../../x"}) {
    auto files = std::make_shared<MemoryFileSystem>();
    files->make_folder("db/d");
    write_text(*files, "secret", "s");
    const std::map<std::string, ocdbt::Value> values = {
        {"key", ocdbt::OutsideValue{.file = {"", path}, .range = {0, 1}}}};
    const std::string node = ocdbt::leaf_bytes(values);
    write_text(*files, "db/d/x", node);
    write_text(*files, "db/manifest.ocdbt",
               ocdbt::manifest_bytes({.file = "d/x",
                                      .num_bytes = node.size(),
                                      .num_keys = 1,
                                      .uuid = std::string(16, 'u')}));
    const auto database = open_ocdbt(files, "db");
    EXPECT_THAT(coded_message_of([&] { database->open("key"); }),
                testing::AllOf(StartsWith("data loss"), HasSubstr("not the path of a file in it")));
  }
}

TEST(Ocdbt, AMissingFileIsDamage) {
  auto files = std::make_shared<MemoryFileSystem>();
  OcdbtWriter writer(files, "db");
  write_text(*writer.files(), "key", "value");
  writer.finish();
  for (const FolderEntry& entry : files->list("db/d"))
    files->remove(str("db/d/", entry.name));
  EXPECT_THAT(coded_message_of([&] { open_ocdbt(files, "db"); }), StartsWith("data loss"));
}

}  // namespace
}  // namespace meshwright::io
