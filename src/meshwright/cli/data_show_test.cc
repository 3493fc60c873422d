// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/cli/data_commands_testutil.h"

namespace meshwright::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class DataShow : public DataCommands {
 protected:
  // Returns the arguments of a config that trains on this file, one document per row.
  Args config(const std::string& file, const Args& more = {}) const {
    Args out = {"show",
                "text",
                "data.path=" + file,
                "data.cache=" + (folder.path() / "cache").string(),
                "data.batch_size=2",
                "data.length=24",
                "data.rows=single",
                "data.held_out=0",
                "data.context=document",
                "data.shuffle=false"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  std::string two_records() const {
    return write("a.jsonl",
                 "{\"text\": \"one\\nline \\u001b\"}\n{\"text\": \"d\xc3\xa9j\xc3\xa0\"}\n");
  }
};

TEST_F(DataShow, PrintsTheDocumentsOfARow) {
  const std::string file = two_records();
  EXPECT_EQ(run(config(file, {"--row", "1"})).out,
            str("step 0, row 1: 7 tokens in 1 document, 6 learnt, 18 padding\n\n", file,
                ", record 1 at byte 29: tokens 0 to 6, 6 learnt, segment 1\n"
                "  | [[d]]\xc3\xa9j\xc3\xa0<|endoftext|>\n"));
  EXPECT_THAT(run(config(file, {"--row", "0"})).out,
              HasSubstr("  | [[o]]ne\n  | line \\x1b<|endoftext|>\n"));
}

TEST_F(DataShow, SeparatesPieces) {
  EXPECT_THAT(run(config(two_records(), {"--row", "1", "--pieces"})).out,
              HasSubstr("  | [[d]]|\xc3\xa9|j|\xc3\xa0|<|endoftext|>\n"));
}

TEST_F(DataShow, PrintsIds) {
  EXPECT_THAT(
      run(config(two_records(), {"--row", "1", "--ids"})).out,
      AllOf(HasSubstr("       0       100  0  d\n"), HasSubstr("       1   195 169  1  \xc3\xa9\n"),
            HasSubstr("       6       256  1  <|endoftext|>\n")));
}

TEST_F(DataShow, ListsTheRowsOfABatch) {
  EXPECT_EQ(
      run(config(two_records(), {"--step", "7"})).out,
      "       row documents    tokens    learnt   padding  text\n"
      "         0         1        11        10        14  one line \\x1b<|endoftext|>\n"
      "         1         1         7         6        18  d\xc3\xa9j\xc3\xa0<|endoftext|>\n");
}

TEST_F(DataShow, LeavesOutSkippedBatches) {
  std::string records;
  for (int i = 0; i < 8; ++i)
    records += str("{\"text\": \"record ", i, "\"}\n");
  const std::string file = write("a.jsonl", records);
  const std::string third = run(config(file, {"--step", "2"})).out;
  EXPECT_THAT(third, HasSubstr("record 4"));
  EXPECT_EQ(run(config(file, {"data.skip_steps=\"0-1\"", "--step", "0"})).out, third);
}

TEST_F(DataShow, PrintsJson) {
  const std::string file = two_records();
  const JsonValue json = parse_json(run(config(file, {"--row", "1", "--json"})).out, "out");
  EXPECT_EQ(json.at("padding").as_integer(), 18);
  const JsonValue& part = json.at("parts").as_array().at(0);
  EXPECT_EQ(part.at("file").as_text(), file);
  EXPECT_EQ(part.at("record").as_integer(), 1);
  EXPECT_EQ(part.at("offset").as_integer(), 29);
  EXPECT_EQ(part.at("tokens").as_array().size(), 7);
  EXPECT_FALSE(part.at("learnt").as_array()[0].as_bool());
  EXPECT_EQ(part.at("text").as_text(), "d\xc3\xa9j\xc3\xa0<|endoftext|>");
}

TEST_F(DataShow, NamesThePartOfAMixture) {
  Args args = mixture("show");
  EXPECT_THAT(run(args).out, AllOf(HasSubstr("   padding  part   text\n"), HasSubstr("  prose  "),
                                   HasSubstr("  code   ")));
  args.insert(args.end(), {"--row", "0"});
  const std::string shown = run(args).out;
  const bool is_code = shown.find("code.jsonl") != std::string::npos;
  EXPECT_THAT(shown, HasSubstr(is_code ? "step 0, row 0, from part 'code': "
                                       : "step 0, row 0, from part 'prose': "));
  args.push_back("--json");
  EXPECT_EQ(parse_json(run(args).out, "out").at("part").as_text(), is_code ? "code" : "prose");
}

TEST_F(DataShow, ShowsOtherArraysWithoutTokens) {
  EXPECT_THAT(run({"show", "shapes_vit", "--row", "0"}).out, StartsWith("step 0, row 0\nimages: "));
}

TEST_F(DataShow, MarksPromptsAsNotLearnt) {
  const std::string file = write("a.jsonl", R"({"prompt": "2+2=", "completion": "4"})"
                                            "\n");
  EXPECT_THAT(run(config(file, {"data.prompts={}", "--row", "0"})).out,
              HasSubstr("  | [[2+2=]]4<|endoftext|>\n"));
}

TEST_F(DataShow, PrintsGeneratedData) {
  EXPECT_THAT(run({"show", "arithmetic_lm", "--row", "0"}).out,
              AllOf(HasSubstr("+"), HasSubstr("="), HasSubstr("]]")));
  EXPECT_THAT(run({"show", "arithmetic_lm", "--evaluator", "held_out", "--row", "0"}).out,
              HasSubstr("="));
}

TEST_F(DataShow, ReportsMistakes) {
  EXPECT_THAT(message_of([] {
                run({"show", "arithmetic_lm", "--row", "100000"});
              }),
              HasSubstr("has no row 100000"));
  EXPECT_THAT(message_of([] {
                run({"show", "arithmetic_lm", "--evaluator", "held"});
              }),
              HasSubstr("available: 'held_out'"));
}

}  // namespace
}  // namespace meshwright::cli
