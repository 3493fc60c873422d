// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/kernel_errors.h"

#include <map>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"

namespace meshwright::pjrt {
namespace {

// A run id has 31 bits: the client and a counter. The counter may wrap around: by then, the earlier
// run with the same number has long finished.
constexpr int kRunBits = 20;
constexpr int kMaxClients = (1 << (31 - kRunBits)) - 1;

struct Clients {
  std::mutex mutex;
  std::map<int, KernelErrors*> by_number;
};

Clients& clients() {
  static auto& all = *new Clients;  // kernels may still run while the process exits
  return all;
}

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace

KernelErrors::KernelErrors() {
  Clients& all = clients();
  std::lock_guard lock(all.mutex);
  for (number_ = 1; all.by_number.contains(number_);)
    ++number_;
  MW_CHECK(number_ <= kMaxClients, "more than ", kMaxClients,
           " clients are open\ncopy the client instead: copies share it");
  all.by_number.emplace(number_, this);
}

KernelErrors::~KernelErrors() {
  Clients& all = clients();
  std::lock_guard lock(all.mutex);
  all.by_number.erase(number_);
}

int KernelErrors::next_run() {
  std::uint32_t run = num_runs_.fetch_add(1, std::memory_order_relaxed);
  return number_ << kRunBits | static_cast<int>(run & ((1u << kRunBits) - 1));
}

std::optional<Error> KernelErrors::take() {
  if (!is_set_.load(std::memory_order_acquire)) return std::nullopt;
  std::lock_guard lock(mutex_);
  is_set_.store(false, std::memory_order_release);
  return std::exchange(error_, std::nullopt);
}

void KernelErrors::keep(Error error) {
  std::lock_guard lock(mutex_);
  if (error_) return;
  error_.emplace(std::move(error));
  is_set_.store(true, std::memory_order_release);
}

void KernelErrors::record(std::string_view name,
                          int device,
                          std::int64_t run,
                          const std::exception_ptr& error) noexcept {
  Error full(ErrorCode::device,
             str("kernel ", name, " on device ", device, ": ", message_of(error)));
  Clients& all = clients();
  std::lock_guard lock(all.mutex);
  auto owner = all.by_number.find(static_cast<int>(run >> kRunBits));
  if (owner == all.by_number.end()) return log_warning(full.what());
  owner->second->keep(std::move(full));
}

}  // namespace meshwright::pjrt
