// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/text_corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/core/state.h"
#include "meshwright/data/text/kept_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;

class TextCorpusTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    std::string path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  // Returns `num_lines` different lines of text.
  static std::string book(int num_lines) {
    std::string out;
    for (int i = 0; i < num_lines; ++i)
      out += str("line ", i, " of the book, which says ", i * i, "\n");
    return out;
  }
  std::string jsonl(int num_records) {
    std::string out;
    for (int i = 0; i < num_records; ++i)
      out += str(R"({"text": "record )", i, R"( has text", "id": )", i, "}\n");
    return write("corpus.jsonl", out);
  }
  TextConfig config(const std::string& path) const {
    TextConfig out;
    out.path = {path};
    out.batch_size = 4;
    out.length = 32;
    out.cache = str(folder_.path().string(), "/cache");
    return out;
  }
  TextCorpusPtr open(const TextConfig& config, DataUse use = DataUse::batches) const {
    return std::make_shared<const TextCorpus>(config, 7, (folder_.path() / "run").string(), use);
  }

  TemporaryFolder folder_;
};

std::vector<std::int32_t> tokens(const Batch& batch, std::string_view array) {
  const auto values = batch.at(array).value().values<std::int32_t>();
  return {values.begin(), values.end()};
}

TEST_F(TextCorpusTest, TrainsOnTheBytesOfAFileAndHoldsSomeOut) {
  const TextCorpusPtr corpus = open(config(write("book.txt", book(400))));
  EXPECT_EQ(corpus->tokenizer().vocab_size(), 257);
  const SourcePtr training = corpus->training();
  expect_pure(*training, 3);
  const SourcePtr held_out = corpus->evaluation({.batch_size = 2});
  ASSERT_TRUE(held_out->num_batches().has_value());
  const Split& sides = corpus->documents();
  const double fraction =
      static_cast<double>(num_tokens(*sides.held_out)) /
      static_cast<double>(num_tokens(*sides.held_out) + num_tokens(*sides.training));
  EXPECT_NEAR(fraction, 0.05, 0.02);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "cache")) << "bytes need no cache";
}

TEST_F(TextCorpusTest, EveryDocumentOfJsonlIsOnOneSideAndEndsWithEos) {
  const TextCorpusPtr corpus = open(config(jsonl(200)));
  const Split& sides = corpus->documents();
  EXPECT_EQ(sides.training->num_documents() + sides.held_out->num_documents(), 200);
  std::set<std::string> seen;
  for (const DocumentsPtr& side : {sides.training, sides.held_out}) {
    for (std::int64_t i = 0; i < side->num_documents(); ++i) {
      const std::vector<std::int32_t> ids = whole_document(*side, i);
      EXPECT_EQ(ids.back(), 256);
      seen.insert(corpus->tokenizer().decode(ids));
    }
  }
  EXPECT_EQ(seen.size(), 200);
  EXPECT_EQ(seen.count("record 17 has text"), 1);
}

TEST_F(TextCorpusTest, TheCacheServesTheNextRun) {
  TextConfig settings = config(jsonl(200));
  settings.tokenizer_threads = 1;
  const Batch first = whole_batch(*open(settings)->training(), 3);
  settings.tokenizer_threads = 2;
  const Batch again = whole_batch(*open(settings)->training(), 3);
  EXPECT_TRUE(is_same(first, again));
}

TEST_F(TextCorpusTest, RowsOfWholeDocumentsHaveSegments) {
  TextConfig settings = config(jsonl(200));
  settings.rows = RowKind::packed;
  settings.context = Context::document;
  const Batch batch = whole_batch(*open(settings)->training(), 0);
  const std::vector<std::int32_t> segments = tokens(batch, kSegments);
  EXPECT_GT(*std::ranges::max_element(segments), 0);
  EXPECT_EQ(tokens(batch, kPositions).front(), 0);
}

TEST_F(TextCorpusTest, OnlyCompletionsAndResponsesAreLearnt) {
  std::string prompts, chats;
  for (int i = 0; i < 200; ++i) {
    prompts += str(R"({"prompt": "p)", i, R"(", "completion": "c)", i, "\"}\n");
    chats += str(R"({"messages": [{"role": "user", "content": "u)", i,
                 R"("}, {"role": "assistant", "content": "a)", i, "\"}]}\n");
  }
  TextConfig settings = config(write("prompts.jsonl", prompts));
  settings.held_out = 0;
  settings.prompts.emplace();
  const DocumentsPtr documents = open(settings)->documents().training;
  ASSERT_TRUE(documents->has_weights());
  std::vector<float> weights(static_cast<std::size_t>(documents->length(7)));
  documents->read_weights(7, 0, weights);
  EXPECT_THAT(weights, testing::ElementsAre(0, 0, 1, 1, 1)) << "p7 c7 EOS";
  EXPECT_NE(open(settings)->training()->spec().find(kSegments), nullptr);

  settings = config(write("chats.jsonl", chats));
  settings.held_out = 0;
  settings.chat = ChatConfig{.chat_template = ChatTemplate::vicuna};
  const TextCorpusPtr corpus = open(settings);
  const std::vector<std::int32_t> ids = whole_document(*corpus->documents().training, 0);
  EXPECT_THAT(corpus->tokenizer().decode(ids), HasSubstr("u0"));
  const std::vector<std::int32_t> prompt = corpus->codec().encode("u0");
  EXPECT_TRUE(std::equal(prompt.begin(), prompt.end(), ids.begin()));
}

TEST_F(TextCorpusTest, WhereKeepsRecordsByTheirFields) {
  TextConfig settings = config(jsonl(200));
  settings.held_out = 0;
  settings.where = {{"id", "5"}};
  const DocumentsPtr documents = open(settings)->documents().training;
  ASSERT_EQ(documents->num_documents(), 1);
  EXPECT_EQ(documents->origin(0).record, 5);
}

TEST_F(TextCorpusTest, SkipsCorruptRecords) {
  const std::string text = R"({"text": "good"})"
                           "\n";
  TextConfig settings = config(write("corpus.jsonl", text + "{\n" + text));
  settings.held_out = 0;
  EXPECT_THROW(open(settings)->documents(), Error);
  settings.skip_corrupt = 1;
  EXPECT_EQ(open(settings)->documents().training->num_documents(), 2);
  settings.max_record_bytes = 8;
  EXPECT_THROW(open(settings)->documents(), Error) << "every record is too long";
}

TEST_F(TextCorpusTest, SpecialTokensAreTextUnlessAskedFor) {
  TextConfig settings = config(write("text.txt", "a<s>b"));
  settings.held_out = 0;
  settings.tokenizer = write("special.json", R"({"model": {"type": "BPE",
    "vocab": {"a": 0, "b": 1, "<": 2, "s": 3, ">": 4}, "merges": []},
    "added_tokens": [{"id": 5, "content": "<s>", "single_word": false, "lstrip": false,
                      "rstrip": false, "normalized": false, "special": true}]})");
  const auto ids = [&] { return whole_document(*open(settings)->documents().training, 0); };
  EXPECT_THAT(ids(), testing::ElementsAre(0, 2, 3, 4, 1));
  settings.parse_special = true;
  EXPECT_THAT(ids(), testing::ElementsAre(0, 5, 1));
  settings.add_bos = true;
  EXPECT_THAT(ids(), testing::ElementsAre(5, 0, 5, 1));
}

TEST_F(TextCorpusTest, ShapesAndTokenizerNeedNoFiles) {
  const TextCorpusPtr corpus = open(config("/nonexistent/book.txt"), DataUse::spec_only);
  const SourcePtr source = corpus->training();
  EXPECT_EQ(batch_size(*source), 4);
  EXPECT_THROW(source->batch(0, {0, 4}), Error);
  const TextCodec codec = corpus->codec();
  EXPECT_EQ(codec.decode(codec.encode("any text")), "any text");
}

TEST_F(TextCorpusTest, ReportsAMissingFileWhenABatchIsNeeded) {
  const SourcePtr source = open(config((folder_.path() / "bok.txt").string()))->training();
  EXPECT_EQ(batch_size(*source), 4);
  for (int i = 0; i < 2; ++i) {
    try {
      source->batch(0, {0, 4});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      EXPECT_THAT(error.what(), HasSubstr("bok.txt"));
    }
  }
}

TEST_F(TextCorpusTest, RefusesToEvaluateOnNothing) {
  TextConfig settings = config(write("book.txt", book(400)));
  settings.held_out = 0;
  EXPECT_THROW(open(settings)->evaluation({}), Error);
  HeldOutTextConfig own;
  own.path = {write("other.txt", book(50))};
  own.batch_size = 3;
  own.length = 8;
  const SourcePtr source = open(settings)->evaluation(own);
  EXPECT_GT(source->num_batches().value_or(0), 0);
  EXPECT_EQ(source->spec().at(kInputs).value().type.dims, (Dims{3, 8}));
}

TEST_F(TextCorpusTest, ARunsCopyReplacesALostTokenizer) {
  TextConfig settings = config(write("book.txt", book(400)));
  settings.tokenizer = write("words.json", R"({"model": {"type": "BPE",
    "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})");
  write("generation_config.json", R"({"eos_token_id": 1})");
  const auto kept = kept_files(open(settings)->opened_tokenizer());
  ASSERT_TRUE(kept.contains("tokenizer.json"));
  std::filesystem::create_directory(folder_.path() / "run");
  for (const auto& [name, content] : kept)
    write("run/" + name, content);
  std::filesystem::remove(folder_.path() / "generation_config.json");
  std::filesystem::remove(settings.tokenizer);
  const TextCorpusPtr corpus = open(settings, DataUse::spec_only);
  EXPECT_EQ(corpus->codec().encode("abab"), (std::vector<std::int32_t>{2, 2}));
  EXPECT_EQ(corpus->codec().end_tokens, (std::vector<std::int32_t>{1}));
  std::filesystem::remove(folder_.path() / "run/tokenizer.json");
  EXPECT_THROW(open(settings), Error);
}

// Returns the message of the error that `function` throws.
std::string error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(TextCorpusTest, SaysWhyNoDocumentIsLeft) {
  TextConfig settings = config(jsonl(200));
  settings.where = {{"id", "500"}};
  settings.held_out = 0;
  EXPECT_THAT(
      error_of([&] { open(settings)->documents(); }),
      testing::AllOf(HasSubstr("corpus.jsonl"), HasSubstr("data.where does not match 200")));
  settings.where.clear();
  settings.filter.min_bytes = 1000;
  EXPECT_THAT(error_of([&] { open(settings)->documents(); }),
              HasSubstr("data.min_bytes omits 200"));
}

TEST_F(TextCorpusTest, SaysWhichTextIsTooShortForARow) {
  TextConfig settings = config(write("book.txt", "a short text"));
  settings.held_out = 0;
  EXPECT_THAT(error_of([&] {
                open(settings)->training()->batch(0, {0, 1});
              }),
              testing::AllOf(HasSubstr("data: 13 tokens do not fill a row of 33"),
                             HasSubstr("a length of at most 12")));
  HeldOutTextConfig other;
  other.path = {settings.path.front()};
  EXPECT_THAT(error_of([&] { open(settings)->evaluation(other)->num_batches(); }),
              HasSubstr("evaluation on " + settings.path.front() + ": 13 tokens do not fill"));
}

TEST_F(TextCorpusTest, ReportsAMissingEvaluationFileBeforeTokenizing) {
  const TextConfig settings = config(jsonl(200));
  HeldOutTextConfig other;
  other.path = {(folder_.path() / "othr.txt").string()};
  EXPECT_THAT(error_of([&] { open(settings)->evaluation(other); }), HasSubstr("othr.txt"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "cache"));
}

TEST_F(TextCorpusTest, WarnsOfUnknownTokens) {
  TextConfig settings = config(write("text.txt", std::string(100, 'x') + "ab"));
  settings.held_out = 0;
  settings.tokenizer = write("words.json", R"({"model": {"type": "WordPiece",
    "vocab": {"[UNK]": 0, "a": 1, "##b": 2}, "unk_token": "[UNK]", "max_input_chars_per_word": 100,
    "continuing_subword_prefix": "##"}})");
  const auto log_of = [&] {
    const CapturedLog log;
    open(settings)->documents();
    return log.text();
  };
  EXPECT_THAT(log_of(), HasSubstr("100% of the tokens of the text are '[UNK]'"));
  settings.path = {write("other.txt", "ab")};
  EXPECT_THAT(log_of(), testing::Not(HasSubstr("[UNK]")));
}

TEST_F(TextCorpusTest, FilesOfSeveralFormatsKeepTheirOrder) {
  TextConfig settings = config("");
  settings.held_out = 0;
  const std::string record = R"({"text": ")";
  settings.path = {write("a.txt", "first"), write("b.jsonl", record + "second\"}\n"),
                   write("c.txt", "third"), write("d.jsonl", record + "fourth\"}\n")};
  const TextCorpusPtr corpus = open(settings);
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < 4; ++i)
    texts.push_back(corpus->tokenizer().decode(whole_document(*corpus->documents().training, i)));
  EXPECT_THAT(texts, testing::ElementsAre("first", "second", "third", "fourth"));
}

TEST_F(TextCorpusTest, ResumingNamesTheFileThatChanged) {
  for (const bool has_records : {false, true}) {
    const std::string extension = has_records ? ".jsonl" : ".txt";
    TextConfig settings = config("");
    settings.path.clear();
    auto content = [&](int i, int length) {
      const std::string text = str(i, std::string(static_cast<std::size_t>(length), 'x'));
      return has_records ? str(R"({"text": ")", text, "\"}\n") : text;
    };
    for (int i = 0; i < 5; ++i)
      settings.path.push_back(write(str(i, extension), content(i, 500)));
    const State then = state(*open(settings)->training(), 3);
    write("3" + extension, content(3, 499) + (has_records ? "" : "x"));
    const auto resume = [&] {
      num_batches_used(*open(settings)->training(), then, OnOtherData::refuse);
    };
    if (has_records) {
      EXPECT_THAT(error_of(resume), HasSubstr(settings.path[3] + " has changed"));
    }
    write("3" + extension, content(3, 400));
    EXPECT_THAT(error_of(resume), HasSubstr(settings.path[3] + " has changed"));
    write("3" + extension, content(3, 500));
    EXPECT_EQ(error_of(resume), "");
    settings.path.push_back(write("9" + extension, content(9, 500)));
    EXPECT_THAT(error_of(resume),
                HasSubstr(settings.path[5] + " is the first that is new or has changed"));
    settings.path.resize(4);
    EXPECT_THAT(error_of(resume), HasSubstr("files at the end are no longer there"));
  }
}

TEST_F(TextCorpusTest, TheStateOfManyFilesIsSmall) {
  TextConfig settings = config("");
  settings.path.clear();
  for (int i = 0; i < 400; ++i)
    settings.path.push_back(write(str(1000 + i, ".jsonl"), str(R"({"text": "text )", i, "\"}\n")));
  const State then = state(*open(settings)->training(), 1'000'000);
  std::size_t size = 0;
  for_each(then, [&](const std::string& path, const Scalar& value) {
    size += path.size() + scalar_text(value).size();
  });
  EXPECT_LT(size, 4000);
  write("1200.jsonl", R"({"text": "other"})");
  EXPECT_THAT(
      error_of([&] { num_batches_used(*open(settings)->training(), then, OnOtherData::refuse); }),
      testing::ContainsRegex("one of the files from .*1200.jsonl to .* has changed"));
}

TEST_F(TextCorpusTest, OpensTheKeptTokenizerOfAUrl) {
  std::filesystem::create_directory(folder_.path() / "run");
  write("run/tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})");
  const auto found = open_kept_tokenizer("file://" + (folder_.path() / "run").string()).tokenizer;
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->vocab_size(), 1);
}

TEST_F(TextCorpusTest, AJsonFileThatIsNoTokenizerIsNamed) {
  TextConfig settings = config(write("book.txt", book(400)));
  for (const char* content : {R"({"text": "a record"})", "{\"text\": 1}\n{\"text\": 2}\n", "{"}) {
    settings.tokenizer = write("records.json", content);
    EXPECT_THAT(error_of([&] { open(settings); }),
                HasSubstr(settings.tokenizer + " is not a tokenizer: "));
  }
}

}  // namespace
}  // namespace meshwright::data
