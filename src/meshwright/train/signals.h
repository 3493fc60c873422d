// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <initializer_list>
#include <vector>

#include "meshwright/train/loop.h"

namespace meshwright::train {

/// Handlers of signals, with those before them put back at the end.
class SignalHandlers {
 public:
  SignalHandlers(std::initializer_list<int> numbers, void (*handler)(int));
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

/// While it lives and no SignalWatch does, SIGTERM and SIGINT end the process at once with exit
/// code 128 + the signal's number and a line that says so. For the time before training, in which
/// programs are compiled that cannot be broken off: there is nothing to save.
class EndAtOnce {
 public:
  EndAtOnce();

 private:
  SignalHandlers handlers_;
};

/// While it lives, SIGTERM, SIGINT and, unless it is ignored, SIGHUP ask the loop to finish its
/// step, save and leave, and SIGUSR1 asks for a checkpoint. A second SIGTERM or SIGINT ends the
/// process at once, as it would have without this. One at a time.
class SignalWatch {
 public:
  SignalWatch();

  /// What was asked for; a request to save is handed out once.
  Request take();
  /// Whether take() would give something.
  bool has_request() const;
  /// The signal that asked to stop; 0 if none did.
  int stop_signal() const;

 private:
  SignalHandlers stop_;
  SignalHandlers hang_up_;
  SignalHandlers save_;
};

}  // namespace meshwright::train
