// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright::io {

struct RetryOptions {
  int max_tries = 4;
  std::chrono::milliseconds first_wait{100};  // doubles after each try
  std::chrono::milliseconds max_wait{10'000};
  /// Sleeps; replaceable in tests.
  std::function<void(std::chrono::milliseconds)> sleep;
};

/// Returns the wait before try number `attempt` (2, 3, ...): a random value between half and all of
/// the doubled wait, so that many processes do not retry at the same moment.
std::chrono::milliseconds wait_before(int attempt, const RetryOptions& options);

/// Sleeps after a failed try. Must be called from the catch block that handles `error`. Rethrows
/// `error` instead, with the number of tries, if this was the last try or the code is not
/// `unavailable`.
void wait_or_rethrow(const Error& error,
                     std::string_view what,
                     int attempt,
                     const RetryOptions& options);

/// Calls `action`, which must be idempotent, until it no longer throws `unavailable`.
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
