// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/gated_files_testutil.h"

#include <utility>

#include "meshwright/io/faulty_file_system.h"

namespace meshwright::checkpoint {

void Gate::close() {
  std::lock_guard lock(mutex_);
  is_closed_ = true;
}

void Gate::open() {
  {
    std::lock_guard lock(mutex_);
    is_closed_ = false;
  }
  changed_.notify_all();
}

void Gate::wait_for_caller() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return num_waiting_ > 0; });
}

void Gate::pass() {
  std::unique_lock lock(mutex_);
  ++num_waiting_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !is_closed_; });
  --num_waiting_;
}

Files Gate::files(Files inner) {
  io::Fault fault;
  fault.before = [this](const io::FileCall& call) {
    if (call.is_changing()) pass();
  };
  return std::make_shared<io::FaultyFileSystem>(std::move(inner), std::move(fault));
}

}  // namespace meshwright::checkpoint
