// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "meshwright/base/error.h"
#include "meshwright/base/log_prefix.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/health/phase_trace.h"
#include "meshwright/train/health/signals.h"
#include "meshwright/train/health/watchdog.h"
#include "meshwright/train/report/run_folder.h"
#include "meshwright/train/report/time_account.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Resources that a run holds from its first line of output to its last: the locked folder, the
/// watchdog, the signal handlers, and the accounts of time and phases.
class Session {
 public:
  /// Opens and locks the run's folder; throws the errors of RunFolder. With job.fresh, moves the
  /// files of earlier runs aside. The job must outlive the session.
  Session(const Job& job, const runtime::Client& client);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  RunFolder& folder() { return folder_; }
  TimeAccount& times() { return times_; }
  Watchdog& watchdog() { return watchdog_; }
  SignalWatch& signals() { return signals_; }
  /// This process's number within the run.
  int process() const { return process_; }
  /// Seconds since the session was opened.
  double seconds() const;

  /// Announces the next phase to the watchdog, the trace and, at this verbosity or higher, the
  /// console.
  void enter(std::int64_t step, std::string_view phase, int verbosity = 2);

  /// Starts a trace after this step, on the processes that the config selects.
  void start_trace(std::int64_t step);
  /// Writes the trace, if one is being recorded.
  void stop_trace();

  /// Throws no_checkpoint if the error was caused by moving, removing or replacing the folder.
  void explain(const Error& error);

 private:
  std::string log_prefix() const;

  const Job& job_;
  TimeAccount times_{job_.began_seconds};
  const double start_seconds_ = steady_seconds();
  const int process_;
  std::atomic<std::int64_t> log_step_ = -1;  // for the prefix of console lines; -1: none yet
  RunFolder folder_;
  const std::optional<ScopedLogPrefix> log_prefix_;
  const ScopedVerbosity verbosity_{job_.config.verbosity};
  SignalWatch signals_;
  PhaseTrace trace_;
  std::int64_t trace_start_ = 0;
  Watchdog watchdog_{job_.config.watchdog};
};

}  // namespace meshwright::train
