// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/corpus_statistics.h"

#include <algorithm>
#include <span>
#include <utility>

#include "meshwright/data/documents/views.h"
#include "meshwright/data/survey/document_statistics.h"
#include "meshwright/data/survey/measured_documents.h"
#include "meshwright/data/text/document_rules.h"
#include "meshwright/data/text/encoded_reader.h"
#include "meshwright/data/text/in_place.h"
#include "meshwright/data/text/record_files.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;
using tokenizers::Tokenizer;

constexpr std::int64_t kAllCorrupt = std::int64_t{1} << 62;

std::int64_t num_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
}

void add_text(const Record& record, DocumentSums& sums) {
  auto add = [&](std::string_view text) {
    sums.num_bytes += std::ssize(text);
    sums.num_characters += num_characters(text);
  };
  for (const std::string_view field : record.fields)
    add(field);
  for (const Message& message : record.messages)
    add(message.content);
}

// Reads the files of a corpus and adds up what they have.
class Survey {
 public:
  Survey(const TextConfig& config,
         std::shared_ptr<const Tokenizer> tokenizer,
         const SurveyOptions& options)
      : config_(config),
        options_(options),
        frame_(document_frame(config, *tokenizer)),
        unknown_(tokenizer->special_tokens().unknown),
        encoder_(record_encoder(config, std::move(tokenizer))) {}

  void read(const RecordFiles& part) {
    const std::size_t first = files_.size();
    for (const DataFile& file : part.files)
      files_.push_back({.path = file.path});
    if (const DocumentsPtr plain = open_in_place(config_, part)) {
      read_in_place(*plain, first);
      documents_.push_back(plain);
    } else {
      documents_.push_back(read_records(part, first));
    }
  }

  CorpusStatistics finish() {
    const DocumentsPtr all = framed(joined(documents_), frame_.before, frame_.after);
    CorpusStatistics out{.files = std::move(files_)};
    add_lengths(*all, out);
    add_split(config_, all, options_.seed, out);
    return out;
  }

 private:
  std::int64_t num_frame_tokens() const {
    return frame_.before.has_value() + frame_.after.has_value();
  }

  void add_document(DocumentSums& sums, std::int64_t num_tokens) const {
    ++sums.num_documents;
    sums.num_tokens += num_tokens + num_frame_tokens();
    sums.num_learnt += num_frame_tokens();
  }

  // The tokens of such files are their bytes.
  void read_in_place(const Documents& plain, std::size_t first) {
    constexpr std::int64_t kBlock = 1 << 20;
    std::vector<Id> block;
    for (std::int64_t i = 0; i < plain.num_documents(); ++i) {
      FileStatistics& file = files_[first + static_cast<std::size_t>(i)];
      const std::int64_t length = plain.length(i);
      for (std::int64_t begin = 0; begin < length; begin += kBlock) {
        block.resize(static_cast<std::size_t>(std::min(kBlock, length - begin)));
        plain.read(i, begin, block);
        file.documents.num_characters +=
            std::ranges::count_if(block, [](Id byte) { return (byte & 0xc0) != 0x80; });
        report(file, 0, std::ssize(block));
      }
      file.records.accepted = 1;
      file.documents.num_bytes = file.documents.num_learnt = length;
      add_document(file.documents, length);
    }
  }

  DocumentsPtr read_records(const RecordFiles& part, std::size_t first) {
    RecordFiles lenient = part;
    lenient.settings.skip_corrupt = kAllCorrupt;
    EncodedReader reader(lenient, encoder_, options_.num_threads);
    auto out = std::make_shared<MeasuredDocuments>(encoder_->has_weights());
    while (const std::optional<EncodedRecords> batch = reader.next()) {
      FileStatistics& file = files_[first + batch->records.file()];
      const std::int64_t num_tokens_before = file.documents.num_tokens;
      add(*batch, file, *out);
      report(file, std::ssize(batch->encoded.documents),
             file.documents.num_tokens - num_tokens_before);
    }
    const std::vector<RecordCounts>& counts = reader.reader().file_counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      RecordCounts& records = files_[first + i].records;
      const std::int64_t num_rejected = records.corrupt;
      records = counts[i];
      records.accepted -= num_rejected;
      records.corrupt += num_rejected;
    }
    return out;
  }

  void add(const EncodedRecords& batch, FileStatistics& file, MeasuredDocuments& documents) const {
    file.records.corrupt += std::ssize(batch.encoded.rejected);  // those that the encoder rejects
    DocumentSums& sums = file.documents;
    batch.for_each_document([&](const Record& record, std::span<const Id> tokens, auto) {
      add_text(record, sums);
      add_document(sums, std::ssize(tokens));
    });
    std::int64_t begin = 0;
    for (const EncodedDocument& entry : batch.encoded.documents)
      documents.add(entry.end - std::exchange(begin, entry.end), entry.hash);
    const EncodedRecord& content = batch.encoded.content;
    if (unknown_) sums.num_unknown += std::ranges::count(content.tokens, *unknown_);
    sums.num_learnt += encoder_->has_weights() ? std::ranges::count(content.weights, 1)
                                               : std::ssize(content.tokens);
  }

  void report(const FileStatistics& file, std::int64_t num_documents, std::int64_t num_tokens) {
    progress_.num_documents += num_documents;
    progress_.num_tokens += num_tokens;
    progress_.file = file.path;
    if (options_.progress) options_.progress(progress_);
  }

  const TextConfig& config_;
  const SurveyOptions& options_;
  const Frame frame_;
  const std::optional<Id> unknown_;
  const RecordEncoderPtr encoder_;
  std::vector<FileStatistics> files_;
  std::vector<DocumentsPtr> documents_;
  SurveyProgress progress_;
};

}  // namespace

DocumentSums& DocumentSums::operator+=(const DocumentSums& other) {
  num_documents += other.num_documents;
  num_bytes += other.num_bytes;
  num_characters += other.num_characters;
  num_tokens += other.num_tokens;
  num_unknown += other.num_unknown;
  num_learnt += other.num_learnt;
  num_duplicates += other.num_duplicates;
  return *this;
}

CorpusStatistics corpus_statistics(const TextConfig& config,
                                   std::shared_ptr<const Tokenizer> tokenizer,
                                   const SurveyOptions& options) {
  Survey survey(config, std::move(tokenizer), options);
  for (const RecordFiles& part : record_files(config, config.path))
    survey.read(part);
  return survey.finish();
}

}  // namespace meshwright::data
