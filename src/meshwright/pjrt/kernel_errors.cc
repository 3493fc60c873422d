// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/kernel_errors.h"

#include <atomic>
#include <mutex>
#include <optional>

#include "meshwright/pjrt/kernel.h"

namespace meshwright::pjrt {
namespace {

// One for the process: the functions that XLA calls have no context of ours.
struct FirstError {
  std::atomic<bool> is_set = false;
  std::mutex mutex;
  std::optional<Error> error;
};

FirstError& first_error() {
  static auto& slot = *new FirstError;  // kernels may still run while the process exits
  return slot;
}

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

void record_kernel_error(std::string_view name,
                         int device,
                         const std::exception_ptr& error) noexcept {
  FirstError& slot = first_error();
  std::lock_guard lock(slot.mutex);
  if (slot.error) return;
  slot.error.emplace(ErrorCode::device,
                     str("kernel ", name, " on device ", device, ": ", message_of(error)));
  slot.is_set.store(true, std::memory_order_release);
}

std::optional<Error> take_kernel_error() {
  FirstError& slot = first_error();
  if (!slot.is_set.load(std::memory_order_acquire)) return std::nullopt;
  std::lock_guard lock(slot.mutex);
  slot.is_set.store(false, std::memory_order_release);
  return std::exchange(slot.error, std::nullopt);
}

}  // namespace meshwright::pjrt
