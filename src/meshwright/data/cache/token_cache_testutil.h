// SPDX-License-Identifier: Apache-2.0
// A corpus and its token cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/records/record_reader.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/io/file_system.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"

namespace meshwright::data {

inline std::string line(std::string_view text) {
  return str("{\"text\": \"", text, "\"}\n");
}

/// Several batches of records.
inline std::string many_lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += line(str("record ", i, std::string(static_cast<std::size_t>(i % 97), 'x')));
  return out;
}

inline RecordEncoderPtr bytes_encoder() {
  return text_encoder(tokenizers::byte_tokenizer());
}

/// One token per byte. Rejects texts that begin with '!'.
class TestEncoder : public RecordEncoder {
 public:
  explicit TestEncoder(std::int64_t vocab_size, bool has_weights = false)
      : vocab_size_(vocab_size), has_weights_(has_weights) {}
  std::string digest() const override { return str("test ", vocab_size_, " ", has_weights_); }
  std::int64_t vocab_size() const override { return vocab_size_; }
  bool has_weights() const override { return has_weights_; }
  void encode(const Record& record, EncodedRecord& out) const override {
    for (const char c : record.text()) {
      out.tokens.push_back(static_cast<std::int32_t>(vocab_size_ - 1 - c));
      if (has_weights_) out.weights.push_back(c == 'b' ? 0 : 1);
    }
    if (record.text().starts_with('!')) fail(ErrorCode::invalid_argument, "is rejected");
  }

 private:
  std::int64_t vocab_size_;
  bool has_weights_;
};

class TokenCacheTest : public testing::Test {
 protected:
  std::string add(const std::string& name, std::string_view content) {
    paths_.push_back(folder_.write(name, content));
    return paths_.back();
  }
  void add_several() {
    add("a.jsonl", many_lines(9000));
    add("b.jsonl.gz", gzipped(many_lines(3000)));
    add("c.jsonl", "");
    add("d.jsonl", line("the last") + line(""));
  }
  TokenCache get(int num_threads = 1, const RecordSettings& records = {}) const {
    return cached_tokens(
        find_data_files(paths_), records, encoder_,
        {.folder = cache_folder(), .num_threads = num_threads, .part_tokens = part_tokens_});
  }
  std::string error_of(const RecordSettings& records, int num_threads = 1) const {
    return data_loss_of([&] { get(num_threads, records); });
  }
  std::filesystem::path cache_folder() const { return folder_.path("cache"); }

  // Compares with the records encoded in memory.
  void expect_equal(const Documents& documents) const {
    RecordReader reader(find_data_files(paths_), {});
    std::int64_t document = 0;
    while (std::optional<Record> record = reader.next()) {
      EncodedRecord expected;
      encoder_->encode(*record, expected);
      ASSERT_LT(document, documents.num_documents());
      ASSERT_EQ(whole_document(documents, document), expected.tokens);
      ASSERT_EQ(documents.content_hash(document), hash_of_tokens(expected.tokens));
      ASSERT_EQ(documents.origin(document), (Origin{.file = paths_[record->file],
                                                    .record = record->number,
                                                    .offset = record->offset}));
      ++document;
    }
    EXPECT_EQ(document, documents.num_documents());
  }

  DataFolder folder_;
  std::vector<std::string> paths_;
  RecordEncoderPtr encoder_ = bytes_encoder();
  std::int64_t part_tokens_ = 100'000;
};

inline std::string content(const std::filesystem::path& path) {
  return io::read_text(*io::open_file_system(path.parent_path().string()),
                       path.filename().string());
}

/// Returns the files of a cache that determine its documents.
inline std::vector<std::string> contents(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : io::open_file_system(folder.string())->list("")) {
    if (entry.name != "lock") out.push_back(str(entry.name, ": ", content(folder / entry.name)));
  }
  return out;
}

}  // namespace meshwright::data
