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

/// What the kernels of one client report. A kernel that fails does not stop its program: other
/// devices may be waiting for this one in a collective, and would abort the process. Instead its
/// results are filled with NaN, and the first error is kept here.
class KernelErrors {
 public:
  KernelErrors();
  ~KernelErrors();
  KernelErrors(const KernelErrors&) = delete;
  KernelErrors& operator=(const KernelErrors&) = delete;

  /// A number for one execution, not 0. Kernels see it as the id of the run, by which they find
  /// this object: nothing else of ours reaches them.
  int next_run();
  /// Takes the error, so that the caller can throw it.
  std::optional<Error> take();

  /// Keeps the error of a kernel, as device error "kernel <name> on device <device>: <what>", with
  /// the client whose execution `run` is, if it is the first there. Logs it if there is none.
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
