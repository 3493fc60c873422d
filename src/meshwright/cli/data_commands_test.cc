// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/data_commands.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/cli/commands.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class TrainTokenizer : public testing::Test {
 protected:
  TrainTokenizer() {
    std::string text;
    for (int i = 0; i < 300; ++i)
      text += str("line ", i, " of the book\n");
    write("book.txt", text);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  std::string content(const std::string& name) const { return file_text(path(name)); }
  /// Trains on book.txt. Returns what is printed.
  std::string train(const Args& more) const {
    Args args = {"train-tokenizer", path("book.txt")};
    args.insert(args.end(), more.begin(), more.end());
    testing::internal::CaptureStdout();
    try {
      EXPECT_EQ(run_group("data", data_commands(), args), 0);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    return testing::internal::GetCapturedStdout();
  }
  void expect_refused(const Args& more, const char* message) const {
    EXPECT_THAT([&] { train(more); }, ThrowsMessage<Error>(HasSubstr(message)));
  }

  TemporaryFolder folder_;
  CapturedLog log_;
};

TEST_F(TrainTokenizer, WritesATokenizerAndReportsIt) {
  const std::string printed = train({"--vocab", "280", "--out", path("new/t.json")});
  EXPECT_THAT(printed, HasSubstr("documents: 1\nbytes: 6190\n"));
  EXPECT_THAT(printed, HasSubstr("vocabulary: 280\nbytes per token: "));
  const auto tokenizer = tokenizers::open_tokenizer(path("new/t.json"));
  EXPECT_EQ(tokenizer->vocab_size(), 280);
  EXPECT_EQ(tokenizer->piece(0), "<|endoftext|>");
  EXPECT_FALSE(fs::exists(path("new/t.json.new")));
}

TEST_F(TrainTokenizer, PrintsJson) {
  const JsonValue printed = parse_json(
      train({"--vocab=280", "--out", path("t.json"), "--json", "--special", "none"}), "output");
  EXPECT_EQ(printed.at("file").as_text(), path("t.json"));
  EXPECT_EQ(printed.at("vocab").as_integer(), 280);
  EXPECT_EQ(printed.at("words").as_integer(), 300 * 6);
  EXPECT_EQ(printed.at("different_words").as_integer(), 305);
  EXPECT_GT(printed.at("bytes_per_token").as_number(), 2);
  EXPECT_EQ(tokenizers::open_tokenizer(path("t.json"))->piece(0), "!");
}

TEST_F(TrainTokenizer, ReplacesAFileOnlyByForce) {
  write("t.json", "kept");
  expect_refused({"--out", path("t.json")}, "exists\nto replace it: --force");
  EXPECT_EQ(content("t.json"), "kept");
  train({"--vocab", "260", "--out", path("t.json"), "--force"});
  EXPECT_NE(content("t.json"), "kept");
  expect_refused({"--out", folder_.path().string()}, "is a folder");
}

TEST_F(TrainTokenizer, SplitsTextAsAsked) {
  const auto words = [&](const Args& more) {
    Args args = {"--vocab", "257", "--json", "--force", "--out", path("t.json")};
    args.insert(args.end(), more.begin(), more.end());
    return parse_json(train(args), "output").at("words").as_integer();
  };
  EXPECT_EQ(words({"--pattern", "none"}), 1);
  EXPECT_THAT(content("t.json"), HasSubstr("\"pre_tokenizer\":{\"type\":\"ByteLevel\""));
  EXPECT_EQ(words({"--pattern", "none", "--split", "lines"}), 300);
  EXPECT_EQ(words({"--regex", "\\n"}), 600);
  EXPECT_THAT(content("t.json"), HasSubstr(R"("Regex":"\\n")"));
  for (const char* name : {"llama3", "qwen2", "qwen3_5", "o200k", "tekken", "deepseek_v3"}) {
    EXPECT_GT(words({"--pattern", name}), 1000) << name;
    EXPECT_EQ(tokenizers::open_tokenizer(path("t.json"))->vocab_size(), 257) << name;
  }
}

TEST_F(TrainTokenizer, SaysWhatIsWrong) {
  const std::string out = path("t.json");
  expect_refused({"--vocab", "256", "--out", out}, "not between 257");
  expect_refused({"--pattern", "gpt7", "--out", out}, "gpt7");
  expect_refused({"--regex", "(", "--out", out}, "(");
  expect_refused({path("missing.txt"), "--out", out}, "missing.txt");
  write("empty.txt", "");
  EXPECT_THAT(
      [&] {
        run_group("data", data_commands(), {"train-tokenizer", path("empty.txt")});
      },
      ThrowsMessage<Error>(HasSubstr("have no text")));
  EXPECT_THAT([&] { run_group("data", data_commands(), {"train-tokenizer"}); },
              ThrowsMessage<Error>(HasSubstr("no files given")));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(TrainTokenizer, WarnsThatTheTextGivesFewerTokens) {
  train({"--vocab", "5000", "--out", path("t.json")});
  EXPECT_THAT(log_.text(), HasSubstr("the text gives only"));
}

}  // namespace
}  // namespace meshwright::cli
