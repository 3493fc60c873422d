// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// A disk that stands still: while the gate is closed, calls that change files wait before it.
class Gate {
 public:
  void close();
  void open();
  /// Until a call waits there.
  void wait_for_caller();

  /// These files behind the gate.
  Files files(Files inner);

 private:
  void pass();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_closed_ = false;
  int num_waiting_ = 0;
};

}  // namespace meshwright::checkpoint
