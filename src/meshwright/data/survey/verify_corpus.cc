// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/verify_corpus.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/data/survey/flaw_list.h"
#include "meshwright/data/survey/measured_documents.h"
#include "meshwright/data/text/document_rules.h"
#include "meshwright/data/text/encoded_reader.h"
#include "meshwright/data/text/in_place.h"
#include "meshwright/data/text/record_files.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;
using tokenizers::Tokenizer;

constexpr std::int64_t kAllCorrupt = std::int64_t{1} << 62;

// Finds the first byte that is not valid UTF-8 in text that arrives in blocks.
class Utf8Check {
 public:
  void add(std::string_view block) {
    if (bad_) return;
    rest_ += block;
    const std::size_t valid = tokenizers::utf8_prefix_size(rest_);
    // Up to 3 bytes at the end may begin a character.
    if (rest_.size() - valid > 3) bad_ = num_checked_ + static_cast<std::int64_t>(valid);
    num_checked_ += static_cast<std::int64_t>(valid);
    rest_.erase(0, valid);
  }
  std::optional<std::int64_t> finish() const {
    return !bad_ && !rest_.empty() ? num_checked_ : bad_;
  }

 private:
  std::string rest_;
  std::int64_t num_checked_ = 0;
  std::optional<std::int64_t> bad_;
};

class Verifier {
 public:
  Verifier(const TextConfig& config,
           std::shared_ptr<const Tokenizer> tokenizer,
           const VerifyOptions& options)
      : config_(config),
        options_(options),
        out_(options.max_flaws),
        frame_(document_frame(config, *tokenizer)),
        encoder_(record_encoder(config, std::move(tokenizer))) {}

  VerifiedCorpus run() {
    for (const RecordFiles& part : record_files(config_, config_.path)) {
      out_.found.num_files += std::ssize(part.files);
      if (const DocumentsPtr plain = open_in_place(config_, part)) {
        read_in_place(part, plain);
      } else {
        read_records(part);
        if (options_.caches) verify_cache(part, *encoder_, *options_.caches, out_);
      }
      for (const DataFile& file : part.files)
        check_still(file);
    }
    const DocumentsPtr all = framed(joined(documents_), frame_.before, frame_.after);
    if (all->num_documents() > 0) verify_rows(config_, all, options_.seed, out_);
    return std::move(out_.found);
  }

 private:
  void report(const std::string& file) const {
    if (options_.progress) options_.progress(file, out_.found.num_tokens);
  }

  void check_still(const DataFile& file) {
    try {
      check_unchanged(file);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss) throw;
      out_.add({.file = file.path, .what = error.what()});
    }
  }

  void read_in_place(const RecordFiles& part, const DocumentsPtr& plain) {
    constexpr std::int64_t kBlock = 1 << 20;
    std::vector<Id> ids;
    for (std::int64_t i = 0; i < plain->num_documents(); ++i) {
      const std::string& path = part.files[static_cast<std::size_t>(i)].path;
      Utf8Check utf8;
      for (std::int64_t begin = 0; begin < plain->length(i); begin += kBlock) {
        ids.resize(static_cast<std::size_t>(std::min(kBlock, plain->length(i) - begin)));
        plain->read(i, begin, ids);
        utf8.add(std::string(ids.begin(), ids.end()));
        out_.found.num_tokens += std::ssize(ids);
        report(path);
      }
      ++out_.found.num_documents;
      if (const std::optional<std::int64_t> bad = utf8.finish())
        out_.remark({.file = path,
                     .offset = *bad,
                     .what = "is not valid UTF-8; its bytes are learnt unchanged"});
    }
    documents_.push_back(plain);
  }

  void read_records(const RecordFiles& part) {
    RecordFiles lenient = part;
    lenient.settings.skip_corrupt = kAllCorrupt;
    EncodedReader reader(lenient, encoder_, options_.num_threads);
    auto documents = std::make_shared<MeasuredDocuments>(encoder_->has_weights());
    while (const std::optional<EncodedRecords> batch = reader.next()) {
      const std::string& path = part.files[batch->records.file()].path;
      add_corrupt(*batch, path);
      batch->for_each_document([&](const Record& record, std::span<const Id> ids, auto) {
        check_tokens(record, ids, path);
        documents->add(std::ssize(ids), hash_of_tokens(ids));
        out_.found.num_tokens += std::ssize(ids);
      });
      report(path);
    }
    out_.found.num_documents += documents->num_documents();
    documents_.push_back(documents);
  }

  // Those of the reader and of the encoder, in order.
  void add_corrupt(const EncodedRecords& batch, const std::string& path) {
    std::vector<CorruptRecord> all(batch.records.corrupt().begin(), batch.records.corrupt().end());
    all.insert(all.end(), batch.encoded.rejected.begin(), batch.encoded.rejected.end());
    std::ranges::stable_sort(all, {}, &CorruptRecord::number);
    for (CorruptRecord& corrupt : all)
      out_.add({.file = path,
                .record = corrupt.number,
                .offset = corrupt.offset,
                .what = std::move(corrupt.reason)});
  }

  void check_tokens(const Record& record, std::span<const Id> ids, const std::string& path) {
    if (!options_.vocab_size) return;
    const auto bad = std::ranges::find_if(ids, [&](Id id) { return id >= *options_.vocab_size; });
    if (bad == ids.end()) return;
    out_.add({.file = path,
              .record = record.number,
              .offset = record.offset,
              .what = str("token ", *bad, " is not below the model's vocabulary of ",
                          *options_.vocab_size)});
  }

  const TextConfig& config_;
  const VerifyOptions& options_;
  FlawList out_;
  const Frame frame_;
  const RecordEncoderPtr encoder_;
  std::vector<DocumentsPtr> documents_;
};

}  // namespace

VerifiedCorpus verify_corpus(const TextConfig& config,
                             std::shared_ptr<const Tokenizer> tokenizer,
                             const VerifyOptions& options) {
  return Verifier(config, std::move(tokenizer), options).run();
}

}  // namespace meshwright::data
