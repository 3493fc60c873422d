// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/cli/data_commands_testutil.h"

namespace meshwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DataStats : public DataCommands {
 protected:
  std::string records(int number) const {
    std::string out;
    for (int i = 0; i < number; ++i)
      out += str(R"({"text": "record )", i % 100, "\"}\n");
    return write("corpus.jsonl", out);
  }
};

TEST_F(DataStats, CountsTheRecordsOfFiles) {
  const std::string file = records(110);
  const JsonValue json = parse_json(run({"stats", file, "--json"}).out, "out");
  const JsonValue& total = json.at("total");
  EXPECT_EQ(total.at("documents").as_integer(), 110);
  EXPECT_EQ(total.at("bytes").as_integer(), 7 * 110 + 2 * 90 + 20)
      << "digits: 20 of one, 90 of two";
  EXPECT_EQ(total.at("duplicates").as_integer(), 10);
  EXPECT_EQ(json.at("files").as_array().size(), 1);
  EXPECT_EQ(json.at("files").as_array()[0].at("path").as_text(), file);
  EXPECT_EQ(json.at("lengths").at("max").as_integer(), 10);
  EXPECT_EQ(json.at("held_out").at("documents").as_integer(), 0);
  EXPECT_THAT(
      run({"stats", file}).out,
      AllOf(HasSubstr("10 documents (9.1%)"), HasSubstr("tokenizer     bytes\n"),
            HasSubstr("max 10 tokens"), HasSubstr("of 256 tokens to train on, 0.0% padding"),
            Not(HasSubstr("corrupt"))));
}

TEST_F(DataStats, DescribesTheDataOfAConfig) {
  const std::string file = records(300);
  const JsonValue json = parse_json(
      run({"stats", "text", "data.path=" + file, "data.length=16", "data.rows=single", "--json"})
          .out,
      "out");
  EXPECT_GT(json.at("held_out").at("documents").as_integer(), 0);
  EXPECT_EQ(json.at("rows").at("length").as_integer(), 16);
  EXPECT_GT(json.at("rows").at("padding").as_number(), 0.3);
}

TEST_F(DataStats, ListsCorruptRecordsByNumber) {
  const std::string file = write("a.jsonl", "{\"text\": \"a\"}\n{\n{\"text\": \"b\"}\n");
  EXPECT_THAT(run({"stats", file}).out, HasSubstr("corrupt       1 record;"));
}

TEST_F(DataStats, DescribesEachPartOfAMixture) {
  Args args = mixture("stats");
  args.insert(args.end(), {"data.parts.prose.weight=3", "data.parts.code.weight=1"});
  const std::string printed = run(args).out;
  EXPECT_THAT(printed, HasSubstr("part 'code'\n"));
  EXPECT_THAT(printed, HasSubstr("duplicates    4 documents (40.0%)\n"));
  EXPECT_THAT(printed,
              HasSubstr("      documents         tokens           rows    of all rows  part\n"
                        "             10             50             10          25.0%  code\n"
                        "             20            230             20          75.0%  prose\n"
                        "             30            280             30                 total\n"));
  args.push_back("--json");
  const JsonValue json = parse_json(run(args).out, "out");
  const JsonValue& prose = json.at("parts").as_array().at(1);
  EXPECT_EQ(prose.at("part").as_text(), "prose");
  EXPECT_EQ(prose.at("share").as_number(), 0.75);
  EXPECT_EQ(prose.at("total").at("documents").as_integer(), 20);
  EXPECT_EQ(json.at("total").at("documents").as_integer(), 30);
  EXPECT_EQ(json.at("total").at("bytes").as_integer(), 40 + 210);
  EXPECT_EQ(json.at("rows").at("rows").as_integer(), 30);
}

TEST_F(DataStats, CountsFilesOfTokens) {
  const std::string path = write("a.bin", std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12));
  const Args args = {
      "stats", path, "--format", "raw", "data.dtype=uint16", "data.end_token=3", "data.length=2"};
  EXPECT_THAT(run(args).out,
              AllOf(HasSubstr(str("      documents         tokens  file\n"
                                  "              2              6  ",
                                  path, "\n")),
                    HasSubstr("largest       token 6\n"), Not(HasSubstr("tokenizer")),
                    HasSubstr("rows          2 of 2 tokens to train on")));
  Args as_json = args;
  as_json.push_back("--json");
  const JsonValue json = parse_json(run(as_json).out, "out");
  EXPECT_EQ(json.at("total").at("tokens").as_integer(), 6);
  EXPECT_EQ(json.at("max_token").as_integer(), 6);
  EXPECT_EQ(json.at("total").find("bytes"), nullptr);
}

TEST_F(DataStats, ReportsMistakes) {
  EXPECT_THAT(message_of([] { run({"stats"}); }), HasSubstr("no files are named"));
  EXPECT_THAT(message_of([&] {
                run({"stats", (folder.path() / "a.jsonl").string()});
              }),
              HasSubstr("a.jsonl"));
  EXPECT_THAT(message_of([] {
                run({"stats", "arithmetic_lm"});
              }),
              HasSubstr("has no files of text or tokens"));
}

}  // namespace
}  // namespace meshwright::cli
