// SPDX-License-Identifier: Apache-2.0
// Encodes the files of a corpus once and keeps the tokens on disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

struct TokenCacheProgress {
  std::int64_t bytes_read = 0;  // of the input files, as they are stored
  std::int64_t num_bytes = 0;   // sizes of all input files
  std::int64_t num_records = 0;
  std::int64_t num_tokens = 0;
  double seconds = 0;
};

struct TokenCacheOptions {
  /// Holds the caches of all corpora, each in a subfolder named after a digest of its key.
  std::filesystem::path folder;
  int num_threads = 0;  // 0: as many as cores
  /// Called during a build, and once at its end.
  std::function<void(const TokenCacheProgress&)> progress = {};
  std::chrono::milliseconds progress_interval{1000};
  /// Tokens of the first parts. An interrupted build loses at most the part that it was writing.
  std::int64_t part_tokens = std::int64_t{1} << 25;
};

struct TokenCache {
  DocumentsPtr documents;
  RecordCounts counts;
  std::filesystem::path folder;
  bool was_built = false;  // false if a complete cache was found
  std::int64_t num_tokens = 0;
};

/// Returns the records of `files` as documents of tokens, in order. The first call encodes them
/// and writes a cache; later calls with equal files, settings and encoder open it without reading
/// the files. An interrupted build continues after the last part that it finished. While another
/// process builds the same cache, waits for it, and takes over if that process dies. A cache with
/// files that are missing or of the wrong size causes a warning, and these parts are built again.
///
/// The cache does not depend on the number of threads; `records.num_threads` is ignored. A record
/// that the encoder rejects counts as corrupt. Memory: a few MB for each thread, one record of the
/// maximum size, and about 100 bytes for each file.
///
/// Throws like RecordReader, and data_loss if an input file changes during the build.
TokenCache cached_tokens(const std::vector<DataFile>& files,
                         const RecordSettings& records,
                         const RecordEncoderPtr& encoder,
                         const TokenCacheOptions& options);

/// Returns where cached_tokens() keeps the cache of these files and settings. `caches` is
/// TokenCacheOptions::folder. The folder need not exist.
std::filesystem::path token_cache_folder(const std::vector<DataFile>& files,
                                         const RecordSettings& records,
                                         const RecordEncoder& encoder,
                                         const std::filesystem::path& caches);

struct CheckedTokenCache {
  bool is_complete = true;               // otherwise the next run builds the rest
  std::vector<std::string> damage = {};  // a description of each file that is missing or damaged
};

/// Reads all files of a complete cache, including those that cached_tokens() takes on trust.
/// `folder` is TokenCache::folder.
CheckedTokenCache check_token_cache(const std::filesystem::path& folder);

}  // namespace meshwright::data
