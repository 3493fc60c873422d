// SPDX-License-Identifier: Apache-2.0
// A corpus or tokenizer that is damaged or hostile: an error that names the place, or a counted
// record that is skipped; nothing is kept of a build that failed.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/text/text_corpus.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += str("{\"text\": \"record ", i, " ", i * 7919 % 1'000'003, "\"}\n");
  return out;
}

class Faults : public testing::Test {
 protected:
  DocumentsPtr documents(const std::string& path, std::int64_t skip_corrupt) const {
    TextConfig config;
    config.path = {path};
    config.held_out = 0;
    config.skip_corrupt = skip_corrupt;
    config.cache = folder_.path("cache");
    config.tokenizer = tokenizer_;
    const auto corpus =
        std::make_shared<const TextCorpus>(config, 7, folder_.path("run"), DataUse::batches);
    return corpus->documents().training;
  }
  std::string error_of(const std::string& path, std::int64_t skip_corrupt = 0) const {
    return data_loss_of([&] { documents(path, skip_corrupt); });
  }

  // Expects that record `number` is corrupt and all others are read, if that is allowed.
  void expect_one_corrupt(const std::string& path, std::int64_t number, std::int64_t num_others) {
    EXPECT_THAT(error_of(path), HasSubstr(str(path, ": record ", number, " at byte ")));
    log_.clear();
    EXPECT_EQ(documents(path, 1)->num_documents(), num_others);
    EXPECT_THAT(log_.text(), HasSubstr("skipped 1 corrupt record"));
  }

  CapturedLog log_;
  DataFolder folder_;
  std::string tokenizer_ = kBytes;
};

TEST_F(Faults, ACompressedFileWithoutItsEnd) {
  const std::string text = lines(20'000);
  for (const std::string& whole : {gzipped(text), zstd_compressed(text)}) {
    for (const std::size_t missing : {std::size_t{1}, std::size_t{9}, whole.size() / 2}) {
      const std::string path =
          folder_.write("a.jsonl", std::string_view(whole).substr(0, whole.size() - missing));
      const std::string error = error_of(path);
      EXPECT_THAT(error, testing::ContainsRegex("a.jsonl: record [0-9]+ at byte [0-9]+: "));
      EXPECT_THAT(error, HasSubstr("truncated"));
      EXPECT_GT(documents(path, 1)->num_documents(), 5000);
    }
  }
}

TEST_F(Faults, AFlippedByteOfACompressedFile) {
  const std::string text = lines(20'000);
  for (std::string whole : {gzipped(text), zstd_compressed(text)}) {
    whole[whole.size() / 2] ^= 0x40;
    const std::string path = folder_.write("a.jsonl", whole);
    EXPECT_THAT(error_of(path), testing::ContainsRegex("a.jsonl: record [0-9]+ at byte [0-9]+: "));
  }
}

TEST_F(Faults, ALineWithoutItsEnd) {
  const std::string text = lines(100);
  expect_one_corrupt(folder_.write("a.jsonl", text.substr(0, text.size() - 3)), 99, 99);
}

TEST_F(Faults, NestingOfAMillionLevels) {
  const std::string deep(1'000'000, '[');
  const std::string objects = [] {
    std::string out;
    for (int i = 0; i < 200'000; ++i)
      out += "{\"a\":";
    return out;
  }();
  for (const std::string& bad : {deep, objects, "{\"text\": \"x\", \"y\": " + deep + "}"})
    expect_one_corrupt(folder_.write("a.jsonl", lines(3) + bad + "\n" + lines(4)), 3, 7);
}

TEST_F(Faults, ZerosInsteadOfText) {
  const std::string zeros(1'000'000, '\0');
  expect_one_corrupt(folder_.write("a.jsonl", lines(3) + zeros + "\n" + lines(4)), 3, 7);
}

TEST_F(Faults, AFileThatIsNotWhatItsNameSays) {
  const std::string text = lines(3);
  EXPECT_THAT(error_of(folder_.write("a.parquet", text)), HasSubstr("a.parquet"));
  EXPECT_THAT(error_of(folder_.write("b.parquet", "PAR1")), HasSubstr("b.parquet"));
  EXPECT_THAT(error_of(folder_.write("c.jsonl.zst", "")), HasSubstr("c.jsonl.zst"));
}

TEST_F(Faults, ATokenizerThatIsHostile) {
  const std::string path = folder_.write("text.txt", "some text");
  const std::string deep(1'000'000, '[');
  const std::string twice = R"("vocab": {"a": 0, "b": 1})";
  for (const std::string& content :
       {"{\"model\": " + deep, std::string("{\"model\": 1e999}"), std::string("{\"model\": "),
        std::string("{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": -1}, \"merges\": []}}"),
        std::string(
            "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 4294967296}, \"merges\": []}}"),
        std::string(
            "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a b\"]}}"),
        std::string("{\"model\": {\"type\": \"BPE\", \"vocab\": {\"\xff\": 0}, \"merges\": []}}"),
        str("{\"model\": {\"type\": \"BPE\", ", twice, ", ", twice, ", \"merges\": []}}")}) {
    tokenizer_ = folder_.write("tokenizer.json", content);
    EXPECT_THAT(error_of(path), HasSubstr(tokenizer_)) << content.substr(0, 80);
  }
}

TEST_F(Faults, NothingIsKeptOfABuildThatFailed) {
  const std::string path = folder_.write("a.jsonl", lines(3) + "{\n");
  error_of(path);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path("cache")))
    EXPECT_NE(entry.path().filename(), "meta.json");
  folder_.write("a.jsonl", lines(4));
  EXPECT_EQ(documents(path, 0)->num_documents(), 4);
}

}  // namespace
}  // namespace meshwright::data
