// SPDX-License-Identifier: Apache-2.0
// Encodes the files of a corpus once and keeps the tokens on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

struct TokenCacheProgress {
  std::int64_t bytes_read = 0;  // sizes of the input files finished so far
  std::int64_t num_bytes = 0;   // sizes of all input files
  std::int64_t num_records = 0;
  std::int64_t num_tokens = 0;
  double seconds = 0;
};

struct TokenCacheOptions {
  /// Holds the caches of all corpora, each in a subfolder named after a digest of its key.
  std::filesystem::path folder;
  int num_threads = 0;  // 0: as many as cores
  /// Called about once a second during a build, and once at its end. Calls may come from any
  /// thread, but only one at a time.
  std::function<void(const TokenCacheProgress&)> progress = {};
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
/// the files. An interrupted build continues with the files that it had not finished. While another
/// process builds the same cache, waits for it. A damaged cache causes a warning, and its damaged
/// parts are built again.
///
/// The cache does not depend on the number of threads; `records.num_threads` is ignored. A record
/// that the encoder rejects counts as corrupt.
///
/// Throws like RecordReader, and data_loss if an input file changes during the build.
TokenCache cached_tokens(const std::vector<DataFile>& files,
                         const RecordSettings& records,
                         RecordEncoderPtr encoder,
                         const TokenCacheOptions& options);

}  // namespace meshwright::data
