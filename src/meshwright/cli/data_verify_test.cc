// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gmock/gmock.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/cli/data_commands_testutil.h"

namespace meshwright::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using DataVerify = DataCommands;

TEST_F(DataVerify, ApprovesOfGoodFiles) {
  const Ran ran = run({"verify", write("a.txt", std::string(300, 'x'))});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "1 document, 300 tokens: good\n");
}

TEST_F(DataVerify, ListsCorruptRecords) {
  const std::string path =
      write("a.jsonl", "{\n{\"text\": \"" + std::string(300, 'x') + "\"}\n{\n");
  const Ran ran = run({"verify", path});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr(path + ": record 0 at byte 0: "));
  EXPECT_THAT(ran.out, HasSubstr(path + ": record 2 at byte 315: "));
  EXPECT_THAT(ran.out, HasSubstr("1 document, 300 tokens: 2 flaws\n"));
  EXPECT_THAT(run({"verify", path, "--limit", "1"}).out,
              HasSubstr("... and 1 more; to list more: --limit N\n"));

  const JsonValue json = parse_json(run({"verify", path, "--json"}).out, "out");
  EXPECT_FALSE(json.at("good").as_bool());
  EXPECT_EQ(json.at("flaws").as_integer(), 2);
  EXPECT_EQ(json.at("listed").as_array().at(1).at("record").as_integer(), 2);
  EXPECT_EQ(json.at("listed").as_array().at(1).at("offset").as_integer(), 315);
}

TEST_F(DataVerify, ChecksTheDataOfAConfigAgainstItsModel) {
  const std::string path = write("a.txt", std::string(300, 'x') + "\xff");
  EXPECT_EQ(run({"verify", "text", "data.path=" + path}).code, 0);
  write("b.txt", "x");
  const Ran ran = run({"verify", "text", "data.path=" + (folder.path() / "b.txt").string(),
                       "data.split=\"lines\"", "task.model.vocab=100"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("token 120 is not below the model's vocabulary of 100"));
}

TEST_F(DataVerify, ChecksEachPartOfAMixture) {
  Args args = mixture("verify");
  EXPECT_EQ(run(args).out,
            "part 'code'\n10 documents, 40 tokens: good\n\n"
            "part 'prose'\n20 documents, 210 tokens: good\n\n"
            "total: 30 documents, 250 tokens: good\n");
  const std::string code = write("code.jsonl", "{\n{\"text\": \"f(5)\"}\n{\n");
  args.insert(args.end(), {"--limit", "1"});
  const Ran ran = run(args);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, StartsWith(str("part 'code'\n", code, ": record 0 at byte 0: ")));
  EXPECT_THAT(ran.out, HasSubstr("... and 1 more"));
  EXPECT_THAT(ran.out, HasSubstr("total: 21 documents, 214 tokens: 2 flaws\n"));
  args.push_back("--json");
  const JsonValue json = parse_json(run(args).out, "out");
  EXPECT_EQ(json.at("flaws").as_integer(), 2);
  EXPECT_EQ(json.at("listed").as_array().at(0).at("part").as_text(), "code");
  EXPECT_FALSE(json.at("parts").as_array().at(0).at("good").as_bool());
  EXPECT_TRUE(json.at("parts").as_array().at(1).at("good").as_bool());
}

TEST_F(DataVerify, NamesThePartThatCannotBeRead) {
  Args args = mixture("verify");
  args.push_back("data.parts.code.path=none.jsonl");
  EXPECT_THAT(message_of([&] { run(args); }), HasSubstr("part 'code': "));
}

TEST_F(DataVerify, ReadsFilesOfTokens) {
  const std::string path = write("a.bin", std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12));
  const Args args = {"verify",           path,           "--format", "raw", "data.dtype=uint16",
                     "data.end_token=3", "data.length=2"};
  EXPECT_EQ(run(args).out, "2 documents, 6 tokens: good\n");
  Args limited = args;
  limited.push_back("data.vocab=6");
  EXPECT_EQ(run(limited).out,
            str(path,
                ": record 1 at byte 10: token 2 has the id 6, which is not below 6, "
                "data.vocab\n2 documents, 6 tokens: 1 flaw\n"));
  EXPECT_EQ(run({"verify", path, "data.type=tokens", "data.dtype=uint16", "data.length=2"}).out,
            "1 document, 6 tokens: good\n");
}

TEST_F(DataVerify, SaysHowToRepairTheTokenCache) {
  const std::string path = write("a.jsonl", "{\"text\": \"" + std::string(300, 'x') + "\"}\n");
  const Args args = {"verify", "text", "data.path=" + path,
                     "data.cache=" + (folder.path() / "cache").string(), "data.held_out=0"};
  EXPECT_EQ(run(args).out, "1 document, 300 tokens: good\n");
  Args show = args;
  show.front() = "show";
  run(show);
  EXPECT_EQ(run(args).out, "1 document, 300 tokens, the token cache: good\n");

  const auto cache = std::filesystem::directory_iterator(folder.path() / "cache")->path();
  std::filesystem::resize_file(cache / "00000.tokens", 7);
  const Ran ran = run(args);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr(str("to repair the token cache: delete ", cache.string(), ";")));
  EXPECT_THAT(ran.out, HasSubstr("1 document, 300 tokens, the token cache: 1 flaw\n"));
  Args as_json = args;
  as_json.push_back("--json");
  EXPECT_EQ(parse_json(run(as_json).out, "out").at("damaged_caches").as_array().size(), 1);
}

TEST_F(DataVerify, EscapesWhatItPrints) {
  const std::string path = write("a\x1b.jsonl", "{\n");
  EXPECT_THAT(run({"verify", path}).out, HasSubstr("a\\x1b.jsonl: record 0"));
}

}  // namespace
}  // namespace meshwright::cli
