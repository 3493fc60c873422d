// SPDX-License-Identifier: Apache-2.0
// Statistics of a corpus, measured by reading and encoding it once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/records/record.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/data/text/tokens_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// Sums over documents. Tokens include BOS and EOS.
struct DocumentSums {
  std::int64_t num_documents = 0;
  std::int64_t num_bytes = 0;       // of text; 0 for files of tokens
  std::int64_t num_characters = 0;  // code points
  std::int64_t num_tokens = 0;
  std::int64_t num_unknown = 0;     // the tokenizer's unknown token
  std::int64_t num_learnt = 0;      // tokens with weight in the loss
  std::int64_t num_duplicates = 0;  // documents with the tokens of an earlier one

  DocumentSums& operator+=(const DocumentSums& other);
  bool operator==(const DocumentSums&) const = default;
};

struct FileStatistics {
  std::string path;
  RecordCounts records = {};
  DocumentSums documents = {};
};

/// Lengths of documents in tokens. All are 0 without documents.
struct LengthStatistics {
  std::int64_t min = 0, p5 = 0, median = 0, p95 = 0, max = 0;
  /// Element i counts documents of 2^i to 2^(i+1) - 1 tokens; the first one also those of none.
  std::vector<std::int64_t> num_by_power = {};
};

/// Rows of the training data.
struct RowStatistics {
  std::int64_t num_rows = 0;
  std::int64_t num_tokens = 0;   // places in all rows
  std::int64_t num_padding = 0;  // places without a token
};

struct CorpusStatistics {
  std::vector<FileStatistics> files = {};
  FileStatistics total = {};
  LengthStatistics lengths = {};
  DocumentSums held_out = {};  // only documents and tokens
  std::optional<RowStatistics> rows = {};
  std::string no_rows = {};                    // why there are none
  std::optional<std::int64_t> max_token = {};  // of files of tokens
};

struct SurveyProgress {
  std::int64_t num_documents = 0;
  std::int64_t num_tokens = 0;
  std::string file;
};

struct SurveyOptions {
  std::int64_t seed = 0;
  int num_threads = 0;  // 0: as many as cores
  std::function<void(const SurveyProgress&)> progress = {};
};

/// Reads and encodes all files of `config`. Writes no cache. Corrupt records are counted, whatever
/// their number. Takes 16 bytes of memory per document. Throws as record_files() and RecordReader
/// for files that cannot be read.
CorpusStatistics corpus_statistics(const TextConfig& config,
                                   std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                                   const SurveyOptions& options = {});

/// As above, for files of tokens. `tokenizer` is the one that made them, or null. A document with
/// a token outside the vocabulary counts as corrupt. Throws as open_token_files(), and
/// data_loss if tokens cannot be read.
CorpusStatistics corpus_statistics(const TokensConfig& config,
                                   const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                                   const SurveyOptions& options = {});

}  // namespace meshwright::data
