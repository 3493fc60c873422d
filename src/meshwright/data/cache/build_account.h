// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "meshwright/data/cache/token_cache.h"

namespace meshwright::data {

/// The totals of a build, over all of its threads: its progress, and the number of corrupt records
/// that may still be skipped.
class BuildAccount {
 public:
  BuildAccount(std::function<void(const TokenCacheProgress&)> report,
               std::int64_t num_bytes,
               std::int64_t skip_corrupt);

  void add(std::int64_t num_records, std::int64_t num_tokens);
  void add_file(std::int64_t num_bytes);
  void report_end();

  std::int64_t num_skippable() const;
  /// Skips corrupt records. Returns false if this exceeds their allowed number.
  bool skip(std::int64_t num_corrupt);

 private:
  void report();  // requires mutex_

  const std::function<void(const TokenCacheProgress&)> report_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::chrono::steady_clock::time_point last_report_ = start_;
  TokenCacheProgress progress_;
  std::int64_t num_skippable_;
};

}  // namespace meshwright::data
