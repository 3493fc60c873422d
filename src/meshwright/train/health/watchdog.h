// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "meshwright/config/check.h"

namespace meshwright::train {

struct WatchdogConfig {
  double timeout_seconds = 3600;  // 0: no watchdog
  bool crash_on_hang = false;

  void fields(auto& f) {
    f.optional("timeout_seconds", timeout_seconds, config::kNotNegative,
               "Report the stack of every thread after this long without progress. 0: never.")
        .unit("seconds");
    f.optional("crash_on_hang", crash_on_hang, "Also end the process with exit code 75.");
  }
};

/// Hooks for tests.
struct WatchdogHooks {
  std::function<void()> crash = {};   // called instead of ending the process
  std::function<void()> looked = {};  // called after each check
};

/// Reports the stacks of all threads, once per hang, after the configured time without progress.
/// With crash_on_hang, then ends the process with ExitCode::retry. The destructor joins its thread.
class Watchdog {
 public:
  /// A timeout of 0 seconds disables the watchdog.
  explicit Watchdog(const WatchdogConfig& config, WatchdogHooks hooks = {});
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Records progress and the next phase, such as "waiting for data". The text must outlive the
  /// watchdog.
  void record_progress(std::int64_t step, std::string_view phase);

  /// Suspends the watchdog for the lifetime of this object, for example during compilation.
  class Pause {
   public:
    explicit Pause(Watchdog& watchdog);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Watchdog& watchdog_;
  };

 private:
  void watch();
  void report(std::int64_t step, std::string_view phase);

  const WatchdogConfig config_;
  const WatchdogHooks hooks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t num_notes_ = 0;
  std::int64_t step_ = -1;
  std::string_view phase_ = "starting";
  int num_pauses_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace meshwright::train
