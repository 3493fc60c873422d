// SPDX-License-Identifier: Apache-2.0
// The corpus of a [data] table with type "text": its tokenizer, documents and rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "meshwright/base/lazy.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/text_codec.h"
#include "meshwright/data/documents/views.h"
#include "meshwright/data/text/kept_tokenizer.h"
#include "meshwright/data/text/open_text.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// The part of the data that a command needs.
enum class DataUse {
  batches,     // batches, to train or to evaluate
  evaluation,  // those of evaluators; of the training data only their shapes
  spec_only,   // the shapes of batches and the tokenizer
};

/// Opens documents that are not those of files of text.
class DocumentOpener {
 public:
  virtual ~DocumentOpener() = default;
  /// Returns the documents to train on and those that are held out, which may be null.
  virtual Split open_split(const tokenizers::Tokenizer& tokenizer) const = 0;
  /// Returns documents to evaluate.
  virtual DocumentsPtr open(const config::OneOrMore<std::string>& path,
                            const tokenizers::Tokenizer& tokenizer) const = 0;
};

/// Opens the tokenizer at once, and the files when the first batch is needed. Sources share the
/// corpus and keep it alive. Thread-safe.
class TextCorpus : public std::enable_shared_from_this<TextCorpus> {
 public:
  /// The copy of the tokenizer in `run_folder`, see kept_files(), is used if the tokenizer's
  /// own file no longer exists, and always with DataUse::spec_only. Nothing is opened if a
  /// `tokenizer` is given. `opener` replaces the files of text.
  TextCorpus(TextConfig config,
             std::int64_t seed,
             std::string run_folder,
             DataUse use,
             TokenizerWithEnds tokenizer = {},
             std::shared_ptr<const DocumentOpener> opener = nullptr);

  const tokenizers::Tokenizer& tokenizer() const { return *tokenizer_.tokenizer; }
  const TokenizerWithEnds& opened_tokenizer() const { return tokenizer_; }
  const TextConfig& config() const { return config_; }
  TextCodec codec() const;

  SourcePtr training() const;
  /// Throws invalid_argument if nothing is held out and `evaluation` names no files, not_found if
  /// it names one that does not exist.
  SourcePtr evaluation(const HeldOutTextConfig& evaluation) const;

  /// The documents to train on and those that are held out, framed by BOS and EOS.
  const Split& documents() const { return opened_.get().documents; }

 private:
  struct Opened {
    Split documents;
    std::optional<std::int64_t> num_skipped_records = {};
  };

  // The tokens that prompts begin with.
  std::vector<tokenizers::Id> before_prompts() const;
  BatchSpec spec(std::int64_t batch_size, std::int64_t length) const;
  // `what` names the documents in messages.
  RowPlanPtr rows(const DocumentsPtr& documents, std::int64_t length, std::string_view what) const;
  SourcePtr opened_training() const;
  SourcePtr opened_evaluation(const HeldOutTextConfig& evaluation) const;
  TextFiles framed_files(const config::OneOrMore<std::string>& path) const;
  Opened open() const;

  TextConfig config_;
  std::int64_t seed_;
  std::string run_folder_;
  DataUse use_;
  TokenizerWithEnds tokenizer_;
  std::shared_ptr<const DocumentOpener> opener_;  // may be null
  Lazy<Opened> opened_;
};
using TextCorpusPtr = std::shared_ptr<const TextCorpus>;

}  // namespace meshwright::data
