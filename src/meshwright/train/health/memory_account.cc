// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/memory_account.h"

#include <algorithm>

#include "meshwright/metrics/format.h"

namespace meshwright::train {
namespace {

std::string text_of(std::int64_t num_bytes) {
  return metrics::byte_count(static_cast<double>(num_bytes));
}

}  // namespace

MemoryAccount::MemoryAccount(MemorySource source) : source_(source) {
  const std::optional<ResidentMemory> before = source_.find();
  if (!before) return;
  peak_before_bytes_ = before->peak_bytes;
  can_restart_ = source_.restart_peak();
  // Read again: a thread may have freed memory since.
  const std::optional<ResidentMemory> now = source_.find();
  before_bytes_ = now ? now->now_bytes : before->now_bytes;
}

void MemoryAccount::close_part(std::int64_t& peak_bytes) {
  if (!before_bytes_ || !can_restart_) return;
  if (const auto memory = source_.find()) peak_bytes = std::max(peak_bytes, memory->peak_bytes);
  can_restart_ = source_.restart_peak();
}

std::string MemoryAccount::text() {
  const std::optional<ResidentMemory> memory = source_.find();
  if (!memory || !before_bytes_) return "";
  const std::int64_t all =
      std::max({memory->peak_bytes, peak_before_bytes_, steps_bytes_, compiling_bytes_});
  if (!can_restart_) return str("host memory: at most ", text_of(all), ", including compilation");
  const std::int64_t steps = std::max(memory->peak_bytes, steps_bytes_);
  const std::int64_t more = std::max<std::int64_t>(steps - *before_bytes_, 0);
  return str("host memory: at most ", text_of(steps), " in steps, ", text_of(more),
             " more than before the first one; at most ", text_of(all), " during compilation");
}

MemoryAccount::Compiling::Compiling(MemoryAccount* account) : account_(account) {
  if (account_ != nullptr) account_->close_part(account_->steps_bytes_);
}

MemoryAccount::Compiling::~Compiling() {
  if (account_ != nullptr) account_->close_part(account_->compiling_bytes_);
}

}  // namespace meshwright::train
