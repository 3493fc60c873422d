// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/watchdog.h"

#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/base/exit_code.h"
#include "meshwright/base/log.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/base/wait_time.h"
#include "meshwright/train/health/thread_stacks.h"

namespace meshwright::train {

Watchdog::Watchdog(const WatchdogConfig& config, WatchdogHooks hooks)
    : config_(config), hooks_(std::move(hooks)) {
  MW_CHECK(config_.timeout_seconds >= 0, "watchdog: a timeout of ", config_.timeout_seconds,
           " seconds");
  if (config_.timeout_seconds == 0) return;
  prepare_thread_stacks();
  thread_ = std::thread([this] { watch(); });
  pthread_setname_np(thread_.native_handle(), "watchdog");
}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::record_progress(std::int64_t step, std::string_view phase) {
  std::lock_guard lock(mutex_);
  ++num_notes_;
  step_ = step;
  phase_ = phase;
}

void Watchdog::watch() {
  const auto interval = wait_time(config_.timeout_seconds);
  std::unique_lock lock(mutex_);
  std::int64_t seen = num_notes_;
  bool is_reported = false;  // true once this hang is reported
  while (!changed_.wait_for(lock, interval, [this] { return is_ending_; })) {
    const std::int64_t seen_before = std::exchange(seen, num_notes_);
    const bool is_hanging = seen_before == num_notes_ && num_pauses_ == 0;
    const bool is_new = is_hanging && !is_reported;
    is_reported = is_hanging;
    const std::int64_t step = step_;
    const std::string_view phase = phase_;
    lock.unlock();
    if (is_new) report(step, phase);
    if (!is_hanging) log_at(1, "watchdog: no hang, at step ", step, ", ", phase);
    if (hooks_.looked) hooks_.looked();
    lock.lock();
  }
}

void Watchdog::report(std::int64_t step, std::string_view phase) {
  log_warning("watchdog: no progress for ", config_.timeout_seconds, " seconds, at step ", step,
              ", ", phase, ". Threads:\n", thread_stacks());
  if (!config_.crash_on_hang) return;
  if (hooks_.crash) return hooks_.crash();
  log_warning("watchdog: ending the process so that it can be restarted");
  // Nothing can be relied on to finish any more, including destructors.
  _exit(static_cast<int>(ExitCode::retry));
}

Watchdog::Pause::Pause(Watchdog& watchdog) : watchdog_(watchdog) {
  std::lock_guard lock(watchdog_.mutex_);
  ++watchdog_.num_pauses_;
}

Watchdog::Pause::~Pause() {
  std::lock_guard lock(watchdog_.mutex_);
  --watchdog_.num_pauses_;
  ++watchdog_.num_notes_;
}

}  // namespace meshwright::train
