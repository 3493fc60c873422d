// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "meshwright/data/cache/part.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/records/data_files.h"

namespace meshwright::data {

/// The totals of a build, reported from time to time.
class BuildProgress {
 public:
  /// The options must outlive it.
  BuildProgress(const TokenCacheOptions& options, const std::vector<DataFile>& files);

  /// Sets the totals to those of the parts that exist.
  void set(const std::vector<PartInfo>& parts);
  /// Adds documents of the part that is being written.
  void add(std::int64_t num_documents, std::int64_t num_tokens);
  /// Reports if it is time. `num_bytes` were read from file number `first` and those after it.
  void report(std::size_t first, std::int64_t num_bytes);
  void report_end();

 private:
  using Clock = std::chrono::steady_clock;

  const TokenCacheOptions& options_;
  std::vector<std::int64_t> ends_;  // bytes up to the end of each file
  Clock::time_point start_ = Clock::now(), last_report_ = start_;
  TokenCacheProgress progress_;
};

}  // namespace meshwright::data
