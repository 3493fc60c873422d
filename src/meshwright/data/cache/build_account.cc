// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/build_account.h"

#include <algorithm>
#include <utility>

namespace meshwright::data {
namespace {

constexpr std::chrono::seconds kReportInterval{1};

}  // namespace

BuildAccount::BuildAccount(std::function<void(const TokenCacheProgress&)> report,
                           std::int64_t num_bytes,
                           std::int64_t skip_corrupt)
    : report_(std::move(report)), num_skippable_(skip_corrupt) {
  progress_.num_bytes = num_bytes;
}

void BuildAccount::add(std::int64_t num_records, std::int64_t num_tokens) {
  const std::lock_guard lock(mutex_);
  progress_.num_records += num_records;
  progress_.num_tokens += num_tokens;
  if (std::chrono::steady_clock::now() - last_report_ >= kReportInterval) report();
}

void BuildAccount::add_file(std::int64_t num_bytes) {
  const std::lock_guard lock(mutex_);
  progress_.bytes_read += num_bytes;
}

void BuildAccount::report_end() {
  const std::lock_guard lock(mutex_);
  report();
}

void BuildAccount::report() {
  last_report_ = std::chrono::steady_clock::now();
  progress_.seconds = std::chrono::duration<double>(last_report_ - start_).count();
  if (report_) report_(progress_);
}

std::int64_t BuildAccount::num_skippable() const {
  const std::lock_guard lock(mutex_);
  return std::max<std::int64_t>(num_skippable_, 0);
}

bool BuildAccount::skip(std::int64_t num_corrupt) {
  const std::lock_guard lock(mutex_);
  num_skippable_ -= num_corrupt;
  return num_corrupt == 0 || num_skippable_ >= 0;
}

}  // namespace meshwright::data
