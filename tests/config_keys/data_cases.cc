// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "key_case.h"
#include "meshwright/base/str.h"
#include "meshwright/data/token_files/token_writer.h"
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
  out.with.emplace_back("task.model.vocab=300");
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
           observed_by("read_timeout_seconds",
                       "hang_at_read_test.py: test_hung_file_is_named_while_it_is_tokenized"),
           {"held_out", "0.25"},
           {"batch_size", "8"},
           {"length", "24"},
           {"rows", "packed"},
           with({"context", "document"}, packed),
           with({"long_documents", "truncate"}, packed),
           {"shuffle", "false"},
           {"shuffle_window", "3"},
           {"num_epochs", "1"},
           {"skip_steps", "[\"0-1\"]"}}),
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

// Replaces every occurrence.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Returns the cases of a source as the only part of a mixture, from those of the source itself.
SectionCases as_part(SectionCases section) {
  const auto is_of_mixture = [](const KeyCase& one) {
    return one.key == "batch_size" || one.key == "num_epochs" || one.key == "skip_steps";
  };
  std::string source = replaced(section.with[0].substr(5), "batch_size = 4, ", "");
  source = replaced(source, ", batch_size = 4", "");
  source = replaced(source, " }", ", weight = 1 }");
  section.with[0] =
      str("data={ type = \"mixture\", batch_size = 4, parts = { name = ", source, " } }");
  section.id = replaced(section.id, "data[", "data[mixture].parts.NAME[");
  std::erase_if(section.keys, is_of_mixture);
  for (KeyCase& one : section.keys) {
    for (std::string& with : one.with)
      with = replaced(with, "data.", "data.parts.name.");
  }
  for (const char* key : {"weight", "max_examples"})
    section.keys.push_back(observed_by(key, "MixtureConfigTest.MixesBySizeTemperatureAndLimit"));
  section.keys.push_back(observed_by("num_epochs", "MixtureConfigTest.EndsWithAPartOrDropsIt"));
  return section;
}

SectionCases mixture_cases() {
  const std::string part = "{ type = \"arithmetic\", num_digits = 1, weight = 1 }";
  return source("mixture", kLm, str("batch_size = 4, parts = { a = ", part, ", b = ", part, " }"),
                {{"parts", "{ a = { weight = 3 } }"},
                 {"batch_size", "8"},
                 observed_by("when_finished", "MixtureConfigTest.EndsWithAPartOrDropsIt"),
                 observed_by("temperature", "MixtureConfigTest.MixesBySizeTemperatureAndLimit"),
                 {"skip_steps", "1"}});
}

// Files of token ids: raw ones, whose documents end with token 0.
struct TokenFiles {
  TokenFiles() {
    for (int file = 0; file < 2; ++file) {
      const auto out =
          data::open_token_writer(path(file), data::TokenFormat::raw, {.vocab_size = 200});
      for (std::uint32_t i = 0; i < 120; ++i) {
        std::vector<std::uint32_t> document(5 + i % 40,
                                            1 + (i + static_cast<std::uint32_t>(file)) % 150);
        document.back() = 0;
        out->add_document(document);
      }
      out->finish();
    }
  }
  std::string path(int file) const { return (folder.path() / str(file, ".bin")).string(); }
  io::TemporaryFolder folder;
};

const TokenFiles& token_files() {
  static const TokenFiles kFiles;
  return kFiles;
}

SectionCases tokens_source(const char* id, const std::string& settings, std::vector<KeyCase> keys) {
  SectionCases out =
      source("tokens", kLm, str(settings, ", vocab = 1000, batch_size = 4"), std::move(keys));
  out.id = id;
  out.with.emplace_back("task.model.vocab=1000");
  return out;
}

Cases tokens_cases() {
  const std::vector<std::string> packed = {"data.rows=packed"};
  const auto in_packed = [&](KeyCase one) {
    one.with = packed;
    return one;
  };
  const std::string flat = MW_SOURCE_DIR "/tests/golden/flat_tokens/small.zarr";
  return {tokens_source(
              "data[tokens]",
              str("path = \"", token_files().path(0),
                  "\", dtype = \"uint16\", end_token = 0, length = 16"),
              {{"path", str('"', token_files().path(1), '"')},
               observed_by("format", "TokenCorpusTest.ReadsAFileInTheFormatThatIsNamed"),
               {"dtype", "uint8"},
               observed_by("begin_token", "TokenCorpusTest.MarksTellDocumentsApart"),
               {"end_token", "7"},
               observed_by("split", "TokenCorpusTest.HoldsOutDocumentsOrReadsTheValidationSplit"),
               observed_by("tokenizer", "TokenCorpusTest.ATokenizerGivesTextAndItsVocabulary"),
               observed_by("vocab",
                           "TokenCorpusTest.TheLargestTokenDecidesTheVocabularyUnlessItIsGiven"),
               {"held_out", "0.25"},
               {"batch_size", "8"},
               {"length", "24"},
               {"rows", "packed"},
               in_packed({"context", "document"}),
               in_packed({"long_documents", "truncate"}),
               {"shuffle", "false"},
               {"shuffle_window", "3"},
               {"num_epochs", "1"},
               {"skip_steps", "[\"0-1\"]"},
               observed_by("seqax", "TokenCorpusTest.SeqaxDecidesTheOrder")}),
          tokens_source("data[tokens].seqax",
                        str("path = \"", flat,
                            "\", length = 8, seqax = { read_blocks_per_shuffle_buffer = 2, "
                            "sequences_per_read_block = 2 }"),
                        {{"seed", "5"},
                         {"streams", "2"},
                         {"read_blocks_per_shuffle_buffer", "3"},
                         {"sequences_per_read_block", "3"}})};
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
  const std::vector<SectionCases> text = text_cases();
  // Those sources that may be parts: all but held-out ones. The tables inside of text are the same.
  for (const std::size_t at : {0U, 2U, 3U, 5U})
    out.push_back(as_part(out.at(at)));
  out.push_back(as_part(text.front()));
  out.push_back(as_part(tokens_cases().front()));
  out.push_back(mixture_cases());
  out.insert(out.end(), text.begin(), text.end());
  for (SectionCases& section : tokens_cases())
    out.push_back(std::move(section));
  out.push_back({"data[held_out_text]",
                 kLm,
                 {},
                 nullptr,
                 {observed_by("path", "TextCorpusTest.RefusesToEvaluateOnNothing"),
                  observed_by("batch_size", "TextCorpusTest.RefusesToEvaluateOnNothing"),
                  observed_by("length", "TextCorpusTest.RefusesToEvaluateOnNothing"),
                  observed_by("part", "MixtureConfigTest.HeldOutTextIsOfOnePartOrOfAll")}});
  return out;
}

}  // namespace meshwright::config_keys
