// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright::pjrt {

/// The errors of a client's kernels. A failing kernel does not stop its program, because other
/// devices might wait for the failing device in a collective and then abort the process. Instead,
/// its results are filled with NaN and the first error is kept here.
class KernelErrors {
 public:
  KernelErrors();
  ~KernelErrors();
  KernelErrors(const KernelErrors&) = delete;
  KernelErrors& operator=(const KernelErrors&) = delete;

  /// Returns a nonzero number for the next execution. Kernels see it as the run id, which is their
  /// only way to find this object.
  int next_run();
  /// Removes and returns the error, if any, for the caller to throw.
  std::optional<Error> take();

  /// Records the error of a kernel with the client that started `run`, as a device error "kernel
  /// <name> on device <device>: <what>", unless that client already has an error. Logs the error if
  /// no such client exists.
  static void record(std::string_view name,
                     int device,
                     std::int64_t run,
                     const std::exception_ptr& error) noexcept;

 private:
  void keep(Error error);

  int number_ = 0;
  std::atomic<std::uint32_t> num_runs_ = 0;
  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;  // guards the error
  std::optional<Error> error_;
};

}  // namespace meshwright::pjrt
