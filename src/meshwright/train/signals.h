// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <vector>

#include "meshwright/train/loop.h"

namespace meshwright::train {

/// While it lives, SIGTERM and SIGINT ask the loop to finish its step, save and leave, and SIGUSR1
/// asks for a checkpoint. A second SIGTERM or SIGINT ends the process at once, as it would have
/// without this. One at a time.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// What was asked for; a request to save is handed out once.
  Request take();
  /// The signal that asked to stop; 0 if none did.
  int stop_signal() const;

 private:
  struct Replaced {
    int number;
    struct sigaction action;
  };
  std::vector<Replaced> replaced_;
};

}  // namespace meshwright::train
