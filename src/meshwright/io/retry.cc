// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/retry.h"

#include <algorithm>
#include <random>
#include <thread>

#include "meshwright/base/log.h"

namespace meshwright::io {

std::chrono::milliseconds wait_before(int attempt, const RetryOptions& options) {
  auto full = options.first_wait.count();
  for (int i = 2; i < attempt && full < options.max_wait.count(); ++i)
    full *= 2;
  full = std::min(full, options.max_wait.count());
  thread_local std::minstd_rand generator(std::random_device{}());
  std::uniform_int_distribution<decltype(full)> part(full / 2, full);
  return std::chrono::milliseconds(part(generator));
}

void wait_or_rethrow(const Error& error,
                     std::string_view what,
                     int attempt,
                     const RetryOptions& options) {
  if (error.code() != ErrorCode::unavailable) throw;
  if (attempt >= options.max_tries) {
    if (attempt == 1) throw;
    throw error.with_context(str(what, " (tried ", attempt, " times)"));
  }
  std::chrono::milliseconds wait = wait_before(attempt + 1, options);
  log_warning(what, ": ", error.message(), "; retrying in ", wait.count(), " ms");
  if (options.sleep) {
    options.sleep(wait);
  } else {
    std::this_thread::sleep_for(wait);
  }
}

}  // namespace meshwright::io
