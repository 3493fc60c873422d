// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/data/survey/corpus_statistics.h"
#include "meshwright/data/survey/document_statistics.h"
#include "meshwright/data/survey/measured_documents.h"
#include "meshwright/data/survey/token_pieces.h"
#include "meshwright/data/text/token_rules.h"
#include "meshwright/data/token_files/flat_tokens.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;
using tokenizers::Tokenizer;

// Reads files of tokens and adds up what they have.
class TokenSurvey {
 public:
  TokenSurvey(const TokensConfig& config, const Tokenizer* tokenizer, const SurveyOptions& options)
      : config_(config),
        options_(options),
        vocab_size_(config.vocab ? *config.vocab
                    : tokenizer  ? tokenizer->vocab_size()
                                 : kMaxVocab) {
    if (tokenizer) unknown_ = tokenizer->special_tokens().unknown;
  }

  void read(const TokenFile& stored) {
    // Arrays of an archive are one file.
    if (out_.files.empty() || out_.files.back().path != stored.tokens->name())
      out_.files.push_back({.path = stored.tokens->name()});
    PieceHash hash;
    bool is_corrupt = false;
    for_each_piece(
        stored,
        [&](const TokenPiece& piece) {
          is_corrupt |= add_tokens(piece.tokens);
          if (const std::optional<std::uint64_t> complete = hash.add(piece)) {
            add_document(stored.length(piece.document), *complete);
            ++(std::exchange(is_corrupt, false) ? records().corrupt : records().accepted);
          }
        },
        [](const Error& error) { throw error; });
  }

  CorpusStatistics finish() {
    out_.max_token = max_token_;
    add_lengths(*documents_, out_);
    if (config_.seqax) {
      add_seqax_rows();
    } else if (holds_out_validation(config_)) {
      add_rows(row_settings(config_), documents_, options_.seed, out_);
    } else {
      add_split(row_settings(config_), documents_, options_.seed, out_);
    }
    if (holds_out_validation(config_)) add_validation();
    return std::move(out_);
  }

 private:
  RecordCounts& records() { return out_.files.back().records; }

  // Returns true if one of them is no id.
  bool add_tokens(std::span<const Id> tokens) {
    DocumentSums& sums = out_.files.back().documents;
    sums.num_tokens += std::ssize(tokens);
    sums.num_learnt += std::ssize(tokens);
    if (unknown_) sums.num_unknown += std::ranges::count(tokens, *unknown_);
    progress_.num_tokens += std::ssize(tokens);
    if (tokens.empty()) return false;
    const auto [least, most] = std::ranges::minmax(tokens);
    max_token_ = std::max<std::int64_t>(max_token_, most);
    return least < 0 || most >= vocab_size_;
  }

  void add_document(std::int64_t length, std::uint64_t hash) {
    documents_->add(length, hash);
    ++out_.files.back().documents.num_documents;
    ++progress_.num_documents;
    progress_.file = out_.files.back().path;
    if (options_.progress) options_.progress(progress_);
  }

  void add_validation() {
    for (const TokenFile& file :
         open_token_files(config_.path, token_file_options(config_, kValidationSplit))) {
      out_.held_out.num_documents += file.num_documents();
      out_.held_out.num_tokens += file.tokens->size();
    }
  }

  // The targets of a row are consecutive tokens.
  void add_seqax_rows() {
    const SeqaxSourceOptions options = seqax_options(config_, vocab_size_, options_.seed);
    try {
      const SeqaxOrder order(options.packs_sequences
                                 ? out_.total.documents.num_tokens / config_.length
                                 : documents_->num_documents(),
                             options.order);
      const std::int64_t num_rows = order.num_batches() * config_.batch_size;
      out_.rows = {.num_rows = num_rows, .num_tokens = num_rows * config_.length};
      if (options.packs_sequences) return;
      for (std::int64_t i = 0; i < num_rows; ++i) {
        const std::int64_t sequence =
            order.sequence(i / config_.batch_size, i % config_.batch_size);
        out_.rows->num_padding +=
            std::max<std::int64_t>(0, config_.length - documents_->length(sequence));
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      out_.no_rows = error.what();
    }
  }

  const TokensConfig& config_;
  const SurveyOptions& options_;
  const std::int64_t vocab_size_;
  std::optional<Id> unknown_;
  std::int64_t max_token_ = -1;
  CorpusStatistics out_;
  std::shared_ptr<MeasuredDocuments> documents_ = std::make_shared<MeasuredDocuments>(false);
  SurveyProgress progress_;
};

}  // namespace

CorpusStatistics corpus_statistics(const TokensConfig& config,
                                   const std::shared_ptr<const Tokenizer>& tokenizer,
                                   const SurveyOptions& options) {
  TokenSurvey survey(config, tokenizer.get(), options);
  for (const TokenFile& file :
       open_token_files(config.path, token_file_options(config, config.split)))
    survey.read(file);
  return survey.finish();
}

}  // namespace meshwright::data
