// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Simulates a stalled disk: while the gate is closed, calls that change files wait.
class Gate {
 public:
  void close();
  void open();
  /// Waits until a call is waiting.
  void wait_for_caller();

  /// Returns `inner` behind the gate.
  Files files(Files inner);

 private:
  void pass();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_closed_ = false;
  int num_waiting_ = 0;
};

}  // namespace meshwright::checkpoint
