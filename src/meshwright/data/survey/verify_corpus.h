// SPDX-License-Identifier: Apache-2.0
// Finds everything that is wrong with the files of a corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/text/text_config.h"
#include "meshwright/data/text/tokens_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

struct CorpusFlaw {
  std::string file = {};
  std::optional<std::int64_t> record = {}, offset = {};  // of a record
  std::string what = {};
};

struct VerifiedCorpus {
  std::int64_t num_files = 0;
  std::int64_t num_documents = 0;
  std::int64_t num_tokens = 0;
  std::int64_t num_flaws = 0;
  std::vector<CorpusFlaw> flaws = {};    // the first ones
  std::vector<CorpusFlaw> remarks = {};  // that do not keep a run from using the data
  std::int64_t num_caches = 0;           // token caches that were read
  /// Their folders. A run does not notice all damage of a cache; it builds one that was removed.
  std::vector<std::string> damaged_caches = {};
};

struct VerifyOptions {
  std::int64_t seed = 0;
  std::optional<std::int64_t> vocab_size = {};       // of the model
  std::int64_t max_flaws = 100;                      // to list
  int num_threads = 0;                               // 0: as many as cores
  std::optional<std::filesystem::path> caches = {};  // folder of token caches to verify
  std::function<void(const std::string& file, std::int64_t num_tokens)> progress = {};
};

/// Reads and encodes all files, as corpus_statistics() does, and finds
/// - records that are corrupt, whatever config.skip_corrupt allows;
/// - tokens that the model's vocabulary lacks;
/// - files that change while they are read;
/// - rows that are not made of the documents;
/// - damage of the token cache of these files and settings, if there is one in options.caches.
/// Throws if a file cannot be opened or read.
VerifiedCorpus verify_corpus(const TextConfig& config,
                             std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                             const VerifyOptions& options);

/// As above, for files of tokens. Reads every token and checksum, and finds
/// - files whose headers, indexes or sizes are damaged, or of an unknown variant of a format;
/// - tokens that are negative or too large for an id, or that the vocabulary of `tokenizer` (which
///   may be null), `config` or the model lacks: the first one of each document, whose number is the
///   flaw's record;
/// - chunks that are missing or damaged, checksums that do not match, and sequences that are marked
///   in one place and not in another.
VerifiedCorpus verify_corpus(const TokensConfig& config,
                             const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                             const VerifyOptions& options);

}  // namespace meshwright::data
