// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/path.h"

namespace meshwright::io::zarr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void add(FileSystem& files, const std::string& path, const std::string& text) {
  files.make_folder(parent_of(path));
  write_text(files, path, text);
}

TEST(Group, OfVersion2HasArraysGroupsAndAttributes) {
  MemoryFileSystem files;
  add(files, "g/.zgroup", R"({"zarr_format": 2})");
  add(files, "g/.zattrs", R"({"max_token_id": 7})");
  add(files, "g/w/.zarray", "{}");
  add(files, "g/w/.zattrs", R"({"unit": "s"})");
  add(files, "g/more/.zgroup", R"({"zarr_format": 2})");
  add(files, "g/other/readme", "");
  const std::optional<Group> group = find_group(files, "g");
  ASSERT_TRUE(group);
  EXPECT_EQ(group->attributes.at("max_token_id").as_integer(), 7);
  EXPECT_THAT(group->arrays, ElementsAre("w"));
  EXPECT_THAT(group->groups, ElementsAre("more"));
  EXPECT_EQ(read_attributes(files, "g/w").at("unit").as_text(), "s");
  EXPECT_THAT(read_attributes(files, "g/more").as_object(), IsEmpty());
}

TEST(Group, OfVersion3HasArraysGroupsAndAttributes) {
  MemoryFileSystem files;
  add(files, "g/zarr.json", R"({"zarr_format":3,"node_type":"group","attributes":{"a":[1]}})");
  add(files, "g/w/zarr.json", R"({"zarr_format":3,"node_type":"array"})");
  add(files, "g/more/zarr.json", R"({"zarr_format":3,"node_type":"group"})");
  const std::optional<Group> group = find_group(files, "g");
  ASSERT_TRUE(group);
  EXPECT_EQ(to_string(group->attributes), R"({"a":[1]})");
  EXPECT_THAT(group->arrays, ElementsAre("w"));
  EXPECT_THAT(group->groups, ElementsAre("more"));
  EXPECT_FALSE(find_group(files, "g/w"));
}

TEST(Group, IsNoneWhereNothingSaysSo) {
  MemoryFileSystem files;
  add(files, "a/.zarray", "{}");
  EXPECT_FALSE(find_group(files, "a"));
  EXPECT_FALSE(find_group(files, "nowhere"));
  EXPECT_THAT(read_attributes(files, "nowhere").as_object(), IsEmpty());
}

TEST(Group, NamesTheFileThatIsDamaged) {
  const auto message = [](const std::string& path, const std::string& text) {
    MemoryFileSystem files;
    add(files, "g/.zgroup", R"({"zarr_format": 2})");
    add(files, path, text);
    return message_of([&] { find_group(files, "g"); });
  };
  EXPECT_THAT(message("g/.zattrs", "{"), HasSubstr("g/.zattrs"));
  EXPECT_THAT(message("g/.zattrs", "[1]"), HasSubstr("g/.zattrs: is not an object"));
  EXPECT_THAT(message("g/w/zarr.json", R"({"node_type":"x"})"),
              HasSubstr("g/w/zarr.json: node_type is 'x'"));
  EXPECT_THAT(message("g/w/zarr.json", "{}"), HasSubstr("has no 'node_type'"));
  MemoryFileSystem files;
  add(files, "g/zarr.json", R"({"node_type":"group","attributes":1})");
  EXPECT_THAT(message_of([&] { read_attributes(files, "g"); }),
              HasSubstr("g/zarr.json: attributes: is not an object"));
}

TEST(Group, IsReadAsItWasWritten) {
  MemoryFileSystem files;
  files.make_folder("g");
  write_group(files, "g");
  write_attributes(files, "g", JsonValue(JsonValue::Object{{"write_completed", JsonValue(true)}}));
  EXPECT_EQ(read_text(files, "g/.zattrs"), R"({"write_completed":true})");
  EXPECT_TRUE(find_group(files, "g")->attributes.at("write_completed").as_bool());
  EXPECT_THAT(message_of([&] { write_attributes(files, "g", JsonValue(true)); }),
              HasSubstr("must be an object, got true"));
}

}  // namespace
}  // namespace meshwright::io::zarr
