// SPDX-License-Identifier: Apache-2.0
// Rows of training data name the records and tokens that they are made of.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/data/text/text_corpus.h"

namespace meshwright::data {
namespace {

constexpr std::int32_t kEos = 256;

// The uncompressed content of the files of a corpus, and the document of each record.
class Expected {
 public:
  void add_file(const std::string& path) { file_ = path, offset_ = 0, record_ = 0; }
  // `stored` is the record in the file.
  void add_record(const std::string& stored, const std::string& text) {
    std::vector<std::int32_t> document(text.begin(), text.end());
    document.push_back(kEos);
    documents_[str(file_, " ", record_++, " ", offset_)] = document;
    offset_ += std::ssize(stored);
  }
  void skip_record(const std::string& stored) { ++record_, offset_ += std::ssize(stored); }

  std::vector<std::int32_t> tokens(const RowPart& part) const {
    const Origin& at = part.origin;
    const auto& document = documents_.at(str(at.file, " ", at.record, " ", at.offset));
    const auto begin = document.begin() + static_cast<std::ptrdiff_t>(at.token);
    return {begin, begin + static_cast<std::ptrdiff_t>(part.length)};
  }

 private:
  std::map<std::string, std::vector<std::int32_t>> documents_;
  std::string file_;
  std::int64_t record_ = 0, offset_ = 0;
};

class RowParts : public testing::Test {
 protected:
  TextConfig config(const std::string& path) const {
    TextConfig out;
    out.path = {path};
    out.batch_size = 4;
    out.length = 24;
    out.held_out = 0.2;
    out.cache = folder_.path("cache");
    return out;
  }

  // Checks every row of some batches against the files.
  void expect_from_files(const Source& source, std::int64_t num_batches) const {
    for (std::int64_t step = 0; step < num_batches; ++step) {
      for (std::int64_t row = 0; row < batch_size(source); ++row)
        expect_row(source, step, row);
    }
  }
  void expect_row(const Source& source, std::int64_t step, std::int64_t row) const {
    const Batch batch = source.batch(step, {row, row + 1});
    std::vector<std::int32_t> tokens = ints(batch, kInputs);
    tokens.push_back(ints(batch, kTargets).back());
    std::int64_t end = 0;
    for (const RowPart& part : source.row_parts(step, row)) {
      ASSERT_EQ(part.begin, end);
      end += part.length;
      const std::vector<std::int32_t> expected = expected_.tokens(part);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), tokens.begin() + part.begin))
          << "step " << step << ", row " << row;
    }
    EXPECT_TRUE(std::all_of(tokens.begin() + end, tokens.end(), [](auto id) { return id == 0; }));
  }
  void expect_both_sides(const TextConfig& settings) const {
    const auto corpus =
        std::make_shared<const TextCorpus>(settings, 7, folder_.path("run"), DataUse::batches);
    expect_from_files(*corpus->training(), 30);
    const SourcePtr held_out = corpus->evaluation({.batch_size = 4});
    ASSERT_GT(*held_out->num_batches(), 0);
    expect_from_files(*held_out, *held_out->num_batches());
  }

  // Writes two files of records whose lengths differ, some of them too short for the filter.
  void write_records(const std::string& extension, std::string (*compress)(std::string_view)) {
    for (const char* name : {"a", "b"}) {
      std::string content;
      const std::string path = folder_.path(str("corpus/", name, extension));
      expected_.add_file(path);
      for (int i = 0; i < 150; ++i) {
        const std::string text =
            i % 7 == 0 ? "x" : str(name, " ", i, std::string(static_cast<std::size_t>(i), 'y'));
        const std::string line = str("{\"n\": ", i, ", \"text\": \"", text, "\"}\n");
        if (text == "x")
          expected_.skip_record(line);
        else
          expected_.add_record(line, text);
        content += line;
      }
      std::filesystem::create_directories(folder_.path("corpus"));
      folder_.write(str("corpus/", name, extension), compress(content));
    }
  }

  CapturedLog log_;
  DataFolder folder_;
  Expected expected_;
};

std::string plain(std::string_view text) {
  return std::string(text);
}

TEST_F(RowParts, AreRecordsOfPlainAndCompressedFiles) {
  const std::vector<std::pair<std::string, std::string (*)(std::string_view)>> kinds = {
      {".jsonl", plain}, {".jsonl.gz", gzipped}, {".jsonl.zst", zstd_compressed}};
  for (const auto& [extension, compress] : kinds) {
    write_records(extension, compress);
    TextConfig settings = config(folder_.path("corpus/*" + extension));
    settings.filter.min_bytes = 2;
    for (const RowKind rows : {RowKind::concatenated, RowKind::packed, RowKind::single}) {
      for (const LongDocuments how : {LongDocuments::cut, LongDocuments::truncate}) {
        settings.rows = rows;
        settings.long_documents = how;
        expect_both_sides(settings);
      }
    }
  }
}

TEST_F(RowParts, AreLinesAndParagraphsOfText) {
  std::string content;
  expected_.add_file(folder_.path("book.txt"));
  for (int i = 0; i < 150; ++i) {
    const std::string text = str("line ", i, std::string(static_cast<std::size_t>(i % 40), 'y'));
    expected_.add_record(text + "\n\n", text);
    content += text + "\n\n";
  }
  TextConfig settings = config(folder_.write("book.txt", content));
  settings.split = TextSplit::blank_lines;
  expect_both_sides(settings);
  settings.split = TextSplit::lines;
  expect_both_sides(settings);
}

TEST_F(RowParts, AreBlocksOfAFileThatIsReadInPlace) {
  std::string content;
  for (int i = 0; i < 2000; ++i)
    content += str("line ", i, "\n");
  const std::string path = folder_.write("book.txt", content);
  expected_.add_file(path);
  expected_.add_record(content, content);
  expect_both_sides(config(path));
}

// The documents of instruction data have more tokens than the record has text.
TEST_F(RowParts, AreRecordsOfPromptsAndConversations) {
  std::string prompts, chats;
  std::vector<std::int64_t> prompt_offsets, chat_offsets;
  for (int i = 0; i < 150; ++i) {
    prompt_offsets.push_back(std::ssize(prompts));
    chat_offsets.push_back(std::ssize(chats));
    prompts += str(R"({"prompt": "<)", i, R"(>", "completion": "b"})", "\n");
    chats += str(R"({"messages": [{"role": "user", "content": "<)", i,
                 R"(>"}, {"role": "assistant", "content": "b"}]})", "\n");
  }
  TextConfig settings = config(folder_.write("prompts.jsonl", prompts));
  settings.length = 200;
  settings.prompts.emplace();
  const auto expect_texts = [&](const std::vector<std::int64_t>& offsets) {
    const auto corpus =
        std::make_shared<const TextCorpus>(settings, 7, folder_.path("run"), DataUse::batches);
    const SourcePtr source = corpus->training();
    const std::vector<std::int32_t> ids = ints(source->batch(3, {1, 2}), kInputs);
    const std::vector<RowPart> parts = source->row_parts(3, 1);
    ASSERT_FALSE(parts.empty());
    for (const RowPart& part : parts) {
      const std::string text =
          corpus->tokenizer().decode(std::span(ids)
                                         .subspan(static_cast<std::size_t>(part.begin))
                                         .first(static_cast<std::size_t>(std::min<std::int64_t>(
                                             part.length, 200 - part.begin))));
      EXPECT_THAT(text, testing::HasSubstr(str("<", part.origin.record, ">")));
      EXPECT_EQ(part.origin.offset, offsets.at(static_cast<std::size_t>(part.origin.record)));
      EXPECT_EQ(part.origin.token, 0);
    }
  };
  expect_texts(prompt_offsets);
  settings.path = {folder_.write("chats.jsonl", chats)};
  settings.prompts.reset();
  settings.chat = ChatConfig{.chat_template = ChatTemplate::vicuna};
  expect_texts(chat_offsets);
}

TEST_F(RowParts, PassThroughCombinators) {
  write_records(".jsonl", plain);
  const auto corpus = std::make_shared<const TextCorpus>(config(folder_.path("corpus/*.jsonl")), 7,
                                                         folder_.path("run"), DataUse::batches);
  const SourcePtr source = corpus->training();
  const BatchMap same = {
      .name = "same", .spec = source->spec(), .function = [](const Batch& batch) { return batch; }};
  const SourcePtr derived = mapped(taken(source, 5), same);
  EXPECT_FALSE(source->row_parts(3, 2).empty());
  EXPECT_EQ(derived->row_parts(3, 2), source->row_parts(3, 2));
}

TEST_F(RowParts, PaddingHasNone) {
  TextConfig settings = config(folder_.write("few.txt", std::string(2000, 'x')));
  const auto corpus =
      std::make_shared<const TextCorpus>(settings, 7, folder_.path("run"), DataUse::batches);
  const SourcePtr held_out = corpus->evaluation({.batch_size = 1000});
  EXPECT_FALSE(held_out->row_parts(0, 0).empty());
  EXPECT_TRUE(held_out->row_parts(0, 999).empty());
}

}  // namespace
}  // namespace meshwright::data
