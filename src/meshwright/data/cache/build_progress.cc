// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/build_progress.h"

#include <algorithm>
#include <utility>

namespace meshwright::data {

BuildProgress::BuildProgress(const TokenCacheOptions& options, const std::vector<DataFile>& files)
    : options_(options) {
  for (const DataFile& file : files) {
    progress_.num_bytes += file.num_bytes;
    ends_.push_back(progress_.num_bytes);
  }
}

void BuildProgress::set(const std::vector<PartInfo>& parts) {
  progress_.num_records = 0;
  progress_.num_tokens = 0;
  for (const PartInfo& part : parts)
    add(part.num_documents, part.num_tokens);
}

void BuildProgress::add(std::int64_t num_documents, std::int64_t num_tokens) {
  progress_.num_records += num_documents;
  progress_.num_tokens += num_tokens;
}

void BuildProgress::report(std::size_t first, std::int64_t num_bytes) {
  const Clock::time_point now = Clock::now();
  if (!options_.progress || now - last_report_ < options_.progress_interval) return;
  last_report_ = now;
  const std::int64_t before = first == 0 ? 0 : ends_[first - 1];
  progress_.bytes_read = std::min(before + num_bytes, progress_.num_bytes);
  progress_.seconds = std::chrono::duration<double>(now - start_).count();
  options_.progress(progress_);
}

void BuildProgress::report_end() {
  progress_.bytes_read = progress_.num_bytes;
  progress_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (options_.progress) options_.progress(progress_);
}

}  // namespace meshwright::data
