// SPDX-License-Identifier: Apache-2.0
// Reads databases written by TensorStore.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/hex.h"
#include "meshwright/base/json_value.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/ocdbt/database.h"

namespace meshwright::io {
namespace {

using testing::StartsWith;

std::span<const unsigned char> bytes_of(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

TEST(OcdbtGolden, HoldsTheKeysThatTensorStoreWrote) {
  auto files = open_file_system(GOLDEN_FOLDER);
  for (const std::string name : {"ocdbt_one_leaf", "ocdbt_interior", "ocdbt_numbered",
                                 "ocdbt_uncompressed_interior", "ocdbt_version_nodes"}) {
    SCOPED_TRACE(name);
    const auto database = open_ocdbt(files, name);
    const std::string expected = str("expected/", name, ".kv.json");
    const JsonValue json = parse_json(read_text(*files, expected), expected);
    EXPECT_FALSE(json.as_object().empty());
    for (const auto& [key, value] : json.as_object()) {
      const std::string found = read_text(*database, key);
      EXPECT_EQ(hex(bytes_of(found)), value.as_text()) << key;
    }
  }
}

TEST(OcdbtGolden, KeysArePaths) {
  const auto database = open_ocdbt(open_file_system(GOLDEN_FOLDER), "ocdbt_annotated");
  EXPECT_EQ(read_text(*database, "ab/0"), "hello");
  EXPECT_EQ(read_text(*database, "ab/1"), "0123456789");
  EXPECT_EQ(database->find("ab/1")->num_bytes, 10);
  EXPECT_EQ(database->find("ab")->kind, FileKind::folder);
  EXPECT_FALSE(database->find("a"));
  std::vector<std::string> names;
  for (const FolderEntry& entry : database->list(""))
    names.push_back(entry.name);
  EXPECT_THAT(names, testing::ElementsAre("ab", "b"));
  EXPECT_THAT(coded_message_of([&] { database->open("c"); }), StartsWith("not found"));
  EXPECT_THAT(coded_message_of([&] { database->create("c"); }), StartsWith("invalid argument"));
}

// Every byte of the manifest and of the node is covered by a checksum, unlike values.
TEST(OcdbtGolden, AnyChangedByteIsFound) {
  auto disk = open_file_system(GOLDEN_FOLDER);
  const std::string folder = "ocdbt_annotated";
  auto files = std::make_shared<MemoryFileSystem>();
  files->make_folder("db/d");
  write_text(*files, "db/manifest.ocdbt", read_text(*disk, folder + "/manifest.ocdbt"));
  const std::string data = "d/" + disk->list(folder + "/d")[0].name;
  write_text(*files, "db/" + data, read_text(*disk, folder + "/" + data));
  constexpr std::size_t kValueBytes = 10;
  for (const std::string& name : {std::string("manifest.ocdbt"), data}) {
    std::string& bytes = files->content("db/" + name);
    for (std::size_t i = name == data ? kValueBytes : 0; i < bytes.size(); ++i) {
      bytes[i] ^= 0x10;
      EXPECT_THAT(coded_message_of([&] { open_ocdbt(files, "db"); }), StartsWith("data loss"))
          << name << i;
      bytes[i] ^= 0x10;
    }
    const std::string whole = bytes;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      bytes = whole.substr(0, size);
      EXPECT_THAT(coded_message_of([&] { open_ocdbt(files, "db"); }), StartsWith("data loss"))
          << name << size;
    }
    bytes = whole;
  }
  EXPECT_EQ(read_text(*open_ocdbt(files, "db"), "b"), "");
}

}  // namespace
}  // namespace meshwright::io
