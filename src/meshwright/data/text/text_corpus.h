// SPDX-License-Identifier: Apache-2.0
// The corpus of a [data] table with type "text": its tokenizer, documents and rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "meshwright/base/lazy.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/text_codec.h"
#include "meshwright/data/documents/views.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// The part of the data that a command needs.
enum class DataUse {
  batches,    // batches, to train or to evaluate
  spec_only,  // the shapes of batches and the tokenizer
};

/// Opens the tokenizer at once, and the files when the first batch is needed. Sources share the
/// corpus and keep it alive. Thread-safe.
class TextCorpus : public std::enable_shared_from_this<TextCorpus> {
 public:
  /// The copy of the tokenizer in `run_folder`, see kept_tokenizer(), is used if the tokenizer's
  /// own file no longer exists, and always with DataUse::spec_only.
  TextCorpus(TextConfig config, std::int64_t seed, std::string run_folder, DataUse use);

  const tokenizers::Tokenizer& tokenizer() const { return *tokenizer_; }
  const TextConfig& config() const { return config_; }
  TextCodec codec() const;

  SourcePtr training() const;
  /// Throws invalid_argument if nothing is held out and `evaluation` names no files.
  SourcePtr evaluation(const HeldOutTextConfig& evaluation) const;

  /// The documents to train on and those that are held out, framed by BOS and EOS.
  const Split& documents() const { return documents_.get(); }

 private:
  BatchSpec spec(std::int64_t batch_size, std::int64_t length) const;
  RowPlanPtr rows(const DocumentsPtr& documents, std::int64_t length) const;
  SourcePtr opened_training() const;
  SourcePtr opened_evaluation(const HeldOutTextConfig& evaluation) const;
  DocumentsPtr framed_documents(const config::OneOrMore<std::string>& path) const;
  Split split() const;

  TextConfig config_;
  std::int64_t seed_;
  std::string run_folder_;
  DataUse use_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  Lazy<Split> documents_;
};
using TextCorpusPtr = std::shared_ptr<const TextCorpus>;

}  // namespace meshwright::data
