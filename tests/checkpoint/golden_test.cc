// SPDX-License-Identifier: Apache-2.0
// Checkpoints that the other systems restored, read and then written again.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/json_value.h"
#include "meshwright/base/sha256.h"
#include "meshwright/checkpoint/chunks.h"
#include "meshwright/checkpoint/format.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* format;
  const char* run;
  std::int64_t step;
};
constexpr Case kCases[] = {{"axlearn", "axlearn", 7}, {"seqax", "seqax", 99}};

Contents read(const Location& location) {
  return read_contents(location.format->open(location.files, location.step().folder));
}

// In the parts that the files have, so that each is one chunk again.
Contents read_chunks(const Location& location) {
  Stored stored = location.format->open(location.files, location.step().folder);
  auto parts = [](const StoredArray& array) {
    return read_parts(array, pieces_of(whole_ranges(array.type().dims), array.chunk()));
  };
  return {stored.step, map(stored.arrays, parts), {}};
}

TEST(CheckpointGolden, WritesTheSameBytes) {
  for (const Case& c : kCases) {
    std::string root = str(GOLDEN_FOLDER "/", c.run);
    Location location = locate(root);
    ASSERT_EQ(location.format->name(), c.format);
    ASSERT_EQ(location.step().step, c.step);
    auto written = std::make_shared<io::MemoryFileSystem>();
    write_step(*location.format, written, "", read_chunks(location));
    std::size_t num_files = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      std::string file = fs::relative(entry.path(), root).string();
      ASSERT_TRUE(written->find(file)) << file;
      EXPECT_EQ(io::read_text(*written, file), io::read_text(*location.files, file)) << file;
      ++num_files;
    }
    EXPECT_EQ(written->files().size(), num_files + 1);  // and the manifest
  }
}

// "0000000099/adam_muembed" and "step_00000007/gda/model/w", by folder of the array.
void expect_arrays(const std::string& root, const std::string& expected) {
  Location location = locate(root);
  std::map<std::string, std::string> found;
  for_each(read(location).arrays, [&](const std::string& path, const ArrayParts& array) {
    std::string name = path;
    if (location.format->name() == "seqax") std::erase(name, '/');
    std::string prefix = location.format->name() == "seqax" ? "/" : "/gda/";
    found[str(location.step().folder, prefix, name)] =
        sha256_hex(io::as_text(assemble(array).bytes()));
  });
  auto files = io::open_file_system(fs::path(expected).parent_path().string());
  std::string file = fs::path(expected).filename().string();
  JsonValue json = parse_json(io::read_text(*files, file), file);
  EXPECT_EQ(found.size(), json.as_object().size()) << root;
  for (const auto& [name, entry] : json.as_object())
    EXPECT_EQ(found[name], entry.at("sha256").as_text()) << root << " " << name;
}

TEST(CheckpointGolden, ReadsWhatTheReferencesWrote) {
  if (!fs::exists(SHARED_GOLDEN_FOLDER "/upstream")) GTEST_SKIP() << "their files are not here";
  for (const char* name : {"upstream/axlearn", "upstream/axlearn_datasharded", "upstream/seqax",
                           "handwritten/axlearn", "handwritten/seqax"}) {
    std::string expected = name;
    std::replace(expected.begin(), expected.end(), '/', '.');
    expect_arrays(str(SHARED_GOLDEN_FOLDER "/", name),
                  str(SHARED_GOLDEN_FOLDER "/expected/", expected, ".json"));
  }
}

}  // namespace
}  // namespace meshwright::checkpoint
