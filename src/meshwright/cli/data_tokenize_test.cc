// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gmock/gmock.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/cli/data_commands_testutil.h"
#include "meshwright/data/token_files/open_token_files.h"

namespace meshwright::cli {
namespace {

using testing::HasSubstr;

class DataTokenize : public DataCommands {
 protected:
  std::string tokenizer() const {
    return write("tokenizer.json", R"({"model": {"type": "BPE",
      "vocab": {"a": 0, "b": 1, "ab": 2, "\u00c3": 3, "\u00a9": 4}, "merges": ["a b"]},
      "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
      "decoder": {"type": "ByteLevel"},
      "added_tokens": [{"id": 5, "content": "<s>", "single_word": false, "lstrip": false,
                        "rstrip": false, "normalized": false, "special": true}]})");
  }
};

TEST_F(DataTokenize, PrintsALineOfIdsPerText) {
  const Ran ran =
      run({"tokenize", "--tokenizer", tokenizer(), "--text", "abba", "--text", "", "--text", "b"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "2 1 0\n\n1\n");
  EXPECT_THAT(ran.log, HasSubstr("4 tokens for 5 bytes"));
}

TEST_F(DataTokenize, PrintsPieces) {
  EXPECT_EQ(run({"tokenize", "--tokenizer", tokenizer(), "--text", "ab\xc3\xa9", "--pieces"}).out,
            "2\tab\n3 4\t\xc3\xa9\n");
}

TEST_F(DataTokenize, PrintsJson) {
  const JsonValue json = parse_json(
      run({"tokenize", "--tokenizer", tokenizer(), "--text", "ab\xc3\xa9", "--json"}).out, "out");
  EXPECT_EQ(json.at("text").as_text(), "ab\xc3\xa9");
  EXPECT_EQ(json.at("tokens").as_array().size(), 3);
  const auto& pieces = json.at("pieces").as_array();
  ASSERT_EQ(pieces.size(), 2);
  EXPECT_EQ(pieces[1].at("text").as_text(), "\xc3\xa9");
  EXPECT_EQ(pieces[1].at("num_tokens").as_integer(), 2);
}

TEST_F(DataTokenize, TreatsSpecialTokensAsARunDoes) {
  const std::string path = tokenizer();
  EXPECT_EQ(run({"tokenize", "--tokenizer", path, "--text", "a<s>", "--pieces"}).out, "0\ta\n")
      << "the vocabulary has no characters to spell it";
  EXPECT_EQ(run({"tokenize", "--tokenizer", path, "--text", "a<s>", "data.parse_special=true"}).out,
            "0 5\n");
  EXPECT_EQ(run({"tokenize", "--tokenizer", path, "--text", "a", "--bos"}).out, "5 0\n");
}

TEST_F(DataTokenize, PrintsTheDocumentsOfFiles) {
  const std::string records = write("a.jsonl", "{\"body\": \"ab\"}\n{\"body\": \"c\"}\n");
  EXPECT_EQ(run({"tokenize", "--tokenizer", "bytes", records, "--field", "body"}).out,
            "97 98 256\n99 256\n")
      << "with EOS, as in a run";
  EXPECT_EQ(
      run({"tokenize", "--tokenizer", "bytes", records, "data.field=body", "data.add_eos=false"})
          .out,
      "97 98\n99\n");
}

TEST_F(DataTokenize, WritesAFileOfTokens) {
  const std::string records = write("a.jsonl", "{\"text\": \"ab\"}\n{\"text\": \"c\"}\n");
  const std::string out = (folder.path() / "tokens").string();
  const Args args = {"tokenize", "--tokenizer", "bytes",        records,
                     "--out",    out,           "--out-format", "megatron"};
  EXPECT_THAT(run(args).out, HasSubstr("wrote 5 tokens in 2 documents"));
  const data::DocumentsPtr written = data::token_documents(data::open_token_files({out}, {}), 257);
  ASSERT_EQ(written->num_documents(), 2);
  EXPECT_EQ(whole_document(*written, 0), (std::vector<std::int32_t>{'a', 'b', 256}));
  EXPECT_EQ(whole_document(*written, 1), (std::vector<std::int32_t>{'c', 256}));

  EXPECT_THAT(message_of([&] { run(args); }), HasSubstr("exists\nto replace it: --force"));
  Args again = args;
  again.insert(again.end(), {"--force", "--json", "data.add_eos=false"});
  const JsonValue json = parse_json(run(again).out, "out");
  EXPECT_EQ(json.at("tokens").as_integer(), 3);
  EXPECT_EQ(json.at("format").as_text(), "megatron");
  EXPECT_EQ(num_tokens(*data::token_documents(data::open_token_files({out}, {}), 257)), 3);
}

TEST_F(DataTokenize, ChoosesTheFormatByTheNameOfTheFile) {
  const std::string text = write("a.txt", "abc");
  const std::string out = (folder.path() / "a.npy").string();
  EXPECT_THAT(run({"tokenize", "--tokenizer", "bytes", text, "--out", out}).out,
              HasSubstr("(npy)"));
  EXPECT_EQ(std::filesystem::file_size(out), 128 + 4 * 2);
  EXPECT_THAT(message_of([&] {
                run({"tokenize", "--tokenizer", "bytes", text, "--out", out + ".bin"});
              }),
              HasSubstr("name it: --out-format megatron|llmc"));
}

TEST_F(DataTokenize, WarnsOfWhatAFileOfTokensLacks) {
  const std::string records = write("a.jsonl", R"({"prompt": "a", "completion": "b"})"
                                               "\n");
  const std::string out = (folder.path() / "a.npy").string();
  EXPECT_THAT(
      run({"tokenize", "--tokenizer", "bytes", records, "data.prompts={}", "--out", out}).log,
      HasSubstr("no weights"));
  EXPECT_THAT(run({"tokenize", "--tokenizer", "bytes", records, "--field", "prompt", "--out", out,
                   "--force", "data.add_eos=false"})
                  .log,
              HasSubstr("--eos"));
}

TEST_F(DataTokenize, ReplacesADataSetOfFlatTokens) {
  const std::string out = (folder.path() / "flat").string();
  const Args args = {"tokenize", "--tokenizer", "bytes",        write("a.txt", "text"),
                     "--out",    out,           "--out-format", "flat_tokens"};
  run(args);
  Args again = args;
  again.push_back("--force");
  run(again);
  EXPECT_TRUE(std::filesystem::is_directory(out));
  EXPECT_FALSE(std::filesystem::exists(out + ".new"));
}

TEST_F(DataTokenize, ReportsMistakes) {
  EXPECT_THAT(message_of([] {
                run({"tokenize", "--text", "a"});
              }),
              HasSubstr("give --tokenizer PATH"));
  EXPECT_THAT(message_of([&] {
                run({"tokenize", "--tokenizer", "bytes", "--text", "a", "b.txt"});
              }),
              HasSubstr("--text cannot be combined with files"));
  EXPECT_THAT(message_of([&] {
                run({"tokenize", "--tokenizer", "bytes", "--text", "a", "data.fild=x"});
              }),
              HasSubstr("field"));
  const std::string damaged = write("a.jsonl", "{\"text\": \"ab\"}\n{\n");
  EXPECT_THAT(message_of([&] {
                run({"tokenize", "--tokenizer", "bytes", damaged});
              }),
              HasSubstr("a.jsonl: record 1 at byte 15"));
}

}  // namespace
}  // namespace meshwright::cli
