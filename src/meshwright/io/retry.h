// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright::io {

struct RetryOptions {
  int max_tries = 4;
  std::chrono::milliseconds first_wait{100};  // doubled each time
  std::chrono::milliseconds max_wait{10'000};
  /// Sleeps; tests put another one here.
  std::function<void(std::chrono::milliseconds)> sleep;
};

/// The wait before try number `attempt` (2, 3, ...), between half and all of the doubled time, so
/// that many processes do not try at the same moment.
std::chrono::milliseconds wait_before(int attempt, const RetryOptions& options);

/// Notes a failure: sleeps and returns, or throws it with the number of tries if it was the last or
/// is no `unavailable`.
void wait_or_rethrow(const Error& error,
                     std::string_view what,
                     int attempt,
                     const RetryOptions& options);

/// Calls `action` until it does not throw `unavailable`. It must be right to call it twice.
template <typename Action>
auto retry(std::string_view what, const RetryOptions& options, const Action& action) {
  for (int attempt = 1;; ++attempt) {
    try {
      return action();
    } catch (const Error& error) {
      wait_or_rethrow(error, what, attempt, options);
    }
  }
}

}  // namespace meshwright::io
