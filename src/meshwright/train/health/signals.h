// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>
#include <vector>

#include "meshwright/train/loop/agenda.h"

namespace meshwright::train {

/// Installs a signal handler; the destructor restores the previous actions.
class SignalHandlers {
 public:
  /// If `honours_ignored`, signals that are already ignored stay ignored.
  SignalHandlers(std::initializer_list<int> numbers,
                 void (*handler)(int),
                 bool honours_ignored = false);
  ~SignalHandlers();
  SignalHandlers(const SignalHandlers&) = delete;
  SignalHandlers& operator=(const SignalHandlers&) = delete;

 private:
  struct Replaced {
    int number;
    struct sigaction action;
  };
  std::vector<Replaced> replaced_;
};

/// Handles signals from the start of a training program until its first update, while there is
/// nothing to save. On SIGTERM, SIGINT and, unless they are ignored, SIGHUP and SIGXCPU, it prints
/// a line and ends the process at once with exit code 128 + the signal's number. On SIGUSR1, it
/// prints that there is nothing to save yet. On SIGUSR2 and SIGALRM, even after the first update,
/// it prints that they have no effect. SIGPIPE and SIGXFSZ are ignored, so that a write to a closed
/// pipe or beyond the file size limit fails instead of killing the process. Instances may be
/// nested.
class StartupSignals {
 public:
  StartupSignals();

 private:
  SignalHandlers stop_;
  SignalHandlers hang_up_;
  SignalHandlers save_;
  SignalHandlers others_;
  SignalHandlers failed_writes_;
};

/// Handles signals once begin() has been called, which happens before the first update. SIGTERM,
/// SIGINT and, unless they are ignored, SIGHUP and SIGXCPU ask the loop to finish its step, save
/// and exit; SIGUSR1 asks for a checkpoint. Repeats within a second count as one request, since
/// programs such as `timeout` signal a process and then its group. A SIGTERM or SIGINT more than a
/// second after the first request makes it print a line and end the process at once, without
/// saving, with exit code 128 + the signal's number. At most one instance may exist.
class SignalWatch {
 public:
  SignalWatch() = default;
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Takes over from StartupSignals. Later calls have no effect.
  void begin();

  /// Returns the pending request. A request to save is returned once.
  Request take();
  /// True if take() would return a request.
  bool has_request() const;
  /// Returns the signal that asked to stop, or 0.
  int stop_signal() const;

 private:
  struct Handlers {
    Handlers();
    SignalHandlers stop;
    SignalHandlers hang_up;
    SignalHandlers save;
  };
  std::optional<Handlers> handlers_;
};

}  // namespace meshwright::train
