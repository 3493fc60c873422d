// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "key_case.h"
#include "meshwright/base/str.h"
#include "meshwright/io/io_testutil.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

SectionCases source(const char* type,
                    const char* base,
                    const std::string& settings,
                    std::vector<KeyCase> keys) {
  return {str("data[", type, "]"),
          without_evaluator(base),
          {str("data={ type = \"", type, "\", ", settings, " }")},
          batches,
          std::move(keys)};
}

// A corpus of conversations, prompts and texts, with the folder of its token cache.
struct Corpus {
  Corpus() {
    std::ofstream lines(path());
    for (int i = 0; i < 300; ++i) {
      const std::string text(static_cast<std::size_t>(20 + i % 30),
                             static_cast<char>('a' + i % 26));
      lines
          << R"({"text": ")" << text << R"(", "title": "T)" << i << R"(", "said": [{"by": "user",)"
          << R"( "from": "user", "of": "x)" << i << R"(", "content": "q)" << i
          << R"("}, {"by": "assistant", "from": "assistant", "of": "y", "content": "a)" << i
          << R"("}, {"by": "user", "from": "user", "of": "x", "content": "q"},)"
          << R"( {"by": "assistant", "from": "assistant", "of": "y", "content": "z"}], "number": )"
          << i % 2 << "}\n";
    }
  }
  std::string path() const { return (folder.path() / "corpus.jsonl").string(); }
  std::string cache() const { return (folder.path() / "cache").string(); }
  io::TemporaryFolder folder;
};

const Corpus& corpus() {
  static const Corpus kCorpus;
  return kCorpus;
}

SectionCases text_source(const char* id,
                         const std::string& settings,
                         std::vector<KeyCase> keys,
                         const char* type = "text") {
  SectionCases out = source(type, kLm,
                            str("path = \"", corpus().path(), "\", cache = \"", corpus().cache(),
                                "\", batch_size = 4, length = 16", settings),
                            std::move(keys));
  out.id = id;
  out.with.push_back("task.model.vocab=300");
  return out;
}

Cases text_cases() {
  const std::string readme = MW_SOURCE_DIR "/README.md";
  const std::vector<std::string> plain = {str("data.path=", readme)};
  const std::string own_tokenizer = MW_SOURCE_DIR "/tests/golden/tokenizer_json/byte_bpe.json";
  const auto with = [](KeyCase one, std::vector<std::string> overrides) {
    one.with = std::move(overrides);
    return one;
  };
  const std::vector<std::string> packed = {"data.rows=packed"};
  return {
      text_source(
          "data[text]", "",
          {{"path", str('"', readme, '"')},
           {"format", "text"},
           with({"split", "lines"}, plain),
           with({"separator", "e"}, {plain[0], "data.split=separator", "data.separator=a"}),
           {"field", "title"},
           observed_by("prompts", "TextCorpusTest.OnlyCompletionsAndResponsesAreLearnt"),
           observed_by("chat", "TextCorpusTest.OnlyCompletionsAndResponsesAreLearnt"),
           {"where", "{ number = \"1\" }"},
           {"min_bytes", "30"},
           {"max_bytes", "40"},
           observed_by("max_record_bytes", "TextCorpusTest.SkipsCorruptRecords"),
           observed_by("skip_corrupt", "TextCorpusTest.SkipsCorruptRecords"),
           with({"tokenizer", str('"', own_tokenizer, '"')}, {"task.model.vocab=70000"}),
           observed_by("parse_special", "TextCorpusTest.SpecialTokensAreTextUnlessAskedFor"),
           observed_by("add_bos", "TextCorpusTest.SpecialTokensAreTextUnlessAskedFor"),
           {"add_eos", "false"},
           observed_by("cache", "TextCorpusTest.TheCacheServesTheNextRun"),
           observed_by("tokenizer_threads", "TextCorpusTest.TheCacheServesTheNextRun"),
           {"held_out", "0.25"},
           {"batch_size", "8"},
           {"length", "24"},
           {"rows", "packed"},
           with({"context", "document"}, packed),
           with({"long_documents", "truncate"}, packed),
           {"shuffle", "false"},
           {"num_epochs", "1"}}),
      text_source("data[text].prompts", ", prompts = { prompt = \"title\", completion = \"text\" }",
                  {{"prompt", "text"}, {"completion", "title"}, {"learn_prompt", "true"}}),
      text_source("data[text].chat",
                  ", chat = { template = \"vicuna\", messages = \"said\", role = \"by\" }",
                  {{"template", "alpaca"},
                   observed_by("messages", "TextCorpusTest.OnlyCompletionsAndResponsesAreLearnt"),
                   observed_by("role", "TextCorpusTest.OnlyCompletionsAndResponsesAreLearnt"),
                   {"content", "of"},
                   {"loss", "last_response"}})};
}

}  // namespace

Cases data_cases() {
  const std::vector<KeyCase> arithmetic = {{"batch_size", "8"}, {"num_digits", "2"}};
  const std::vector<KeyCase> sequences = {{"batch_size", "8"},
                                          {"task", "sort"},
                                          {"min_length", "3"},
                                          {"max_length", "6"},
                                          {"num_letters", "20"}};
  const std::vector<KeyCase> shapes = {{"batch_size", "8"}, {"size", "12"}, {"noise", "0.25"}};
  const auto with = [](std::vector<KeyCase> keys, KeyCase one) {
    keys.push_back(std::move(one));
    return keys;
  };
  Cases out = {source("arithmetic", kLm, "batch_size = 4", arithmetic),
               source("held_out_arithmetic", kLm, "batch_size = 4", arithmetic),
               source("random_tokens", kLm, "batch_size = 4, length = 8, vocab_size = 10",
                      {{"batch_size", "8"}, {"length", "9"}, {"vocab_size", "11"}}),
               source("sequences", kSeq2Seq, "batch_size = 4", sequences),
               source("held_out_sequences", kSeq2Seq, "batch_size = 4",
                      with(sequences, {"num_words", "256"})),
               source("shapes", kVit, "batch_size = 4, size = 8", shapes),
               source("held_out_shapes", kVit, "batch_size = 4, size = 8",
                      with(shapes, {"num_batches", "4"}))};
  for (SectionCases& section : text_cases())
    out.push_back(std::move(section));
  out.push_back({"data[held_out_text]",
                 kLm,
                 {},
                 nullptr,
                 {observed_by("path", "TextCorpusTest.RefusesToEvaluateOnNothing"),
                  observed_by("batch_size", "TextCorpusTest.RefusesToEvaluateOnNothing"),
                  observed_by("length", "TextCorpusTest.RefusesToEvaluateOnNothing")}});
  return out;
}

}  // namespace meshwright::config_keys
