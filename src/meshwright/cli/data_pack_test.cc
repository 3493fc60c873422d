// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/cli/data_commands_testutil.h"

namespace meshwright::cli {
namespace {

using testing::HasSubstr;

class DataPack : public DataCommands {
 protected:
  // Returns a config with 5 rows per epoch, one per record, in batches of 2.
  Args config(const std::string& command) const {
    std::string records;
    for (int i = 0; i < 5; ++i)
      records += str(R"({"text": "r)", i, "\"}\n");
    return {command,
            "text",
            "data.path=" + write("a.jsonl", records),
            "data.cache=" + (folder.path() / "cache").string(),
            "data.batch_size=2",
            "data.length=4",
            "data.rows=single",
            "data.held_out=0",
            "data.context=document"};
  }
  std::string path(const std::string& name) const { return folder.path() / name; }
  static std::vector<JsonValue> lines(const std::string& path) {
    std::ifstream file(path);
    std::vector<JsonValue> out;
    for (std::string line; std::getline(file, line);)
      out.push_back(parse_json(line, path));
    return out;
  }
  Ran pack(const Args& more) const {
    Args args = config("pack");
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
};

std::vector<std::int64_t> integers(const JsonValue& array) {
  std::vector<std::int64_t> out;
  for (const JsonValue& value : array.as_array())
    out.push_back(value.as_integer());
  return out;
}

TEST_F(DataPack, WritesTheRowsThatShowPrints) {
  EXPECT_THAT(
      pack({"--first-step", "3", "--steps", "4", "--out", path("a.jsonl.out"), "--format", "jsonl"})
          .out,
      HasSubstr("wrote 8 rows"));
  const std::vector<JsonValue> rows = lines(path("a.jsonl.out"));
  ASSERT_EQ(rows.size(), 8);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Args show = config("show");
    for (const std::string& word : {std::string("--step"), str(3 + i / 2), std::string("--row"),
                                    str(i % 2), std::string("--json")})
      show.push_back(word);
    const JsonValue shown = parse_json(run(show).out, "show");
    std::vector<std::int64_t> tokens = integers(shown.at("parts").as_array().at(0).at("tokens"));
    ASSERT_EQ(tokens.size(), 3);
    EXPECT_EQ(integers(rows[i].at("inputs")),
              (std::vector<std::int64_t>{tokens[0], tokens[1], tokens[2], 0}));
    EXPECT_EQ(integers(rows[i].at("weights")), (std::vector<std::int64_t>{1, 1, 0, 0}));
    EXPECT_EQ(integers(rows[i].at("segments")), (std::vector<std::int64_t>{1, 1, 1, 0}));
  }
}

TEST_F(DataPack, WritesExactlyOneEpoch) {
  pack({"--epoch", "1", "--out", path("packed.jsonl")});
  std::set<std::int64_t> seen;
  for (const JsonValue& row : lines(path("packed.jsonl")))
    seen.insert(integers(row.at("inputs"))[1]);
  EXPECT_EQ(lines(path("packed.jsonl")).size(), 5);
  EXPECT_EQ(seen, (std::set<std::int64_t>{'0', '1', '2', '3', '4'}));
}

TEST_F(DataPack, WritesAnArrayForEachArrayOfTheBatch) {
  EXPECT_THAT(pack({"--out", path("packed"), "--json"}).out, HasSubstr("\"rows\":5,"));
  for (const char* name : {"inputs", "targets", "weights", "segments", "positions"})
    EXPECT_EQ(std::filesystem::file_size(path(str("packed/", name, ".npy"))), 128 + 5 * 4 * 4);
}

TEST_F(DataPack, ReportsMistakes) {
  EXPECT_THAT(message_of([&] { pack({}); }), HasSubstr("give --out PATH"));
  EXPECT_THAT(message_of([&] {
                pack({"--out", path("x"), "--epoch", "0", "--steps", "1"});
              }),
              HasSubstr("--epoch cannot be combined"));
  EXPECT_THAT(message_of([&] {
                run({"pack", "arithmetic_lm", "--out", path("x")});
              }),
              HasSubstr("give --steps N"));
  pack({"--out", path("y")});
  EXPECT_THAT(message_of([&] { pack({"--out", path("y")}); }), HasSubstr("--force"));
  pack({"--out", path("y"), "--force"});
}

}  // namespace
}  // namespace meshwright::cli
