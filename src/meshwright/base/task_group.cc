// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/task_group.h"

#include <cstdio>
#include <utility>

#include "meshwright/base/check.h"

namespace meshwright {

TaskGroup::TaskGroup(int max_threads)
    : max_threads_(static_cast<std::size_t>(max_threads)),
      exceptions_at_start_(std::uncaught_exceptions()) {
  MW_CHECK(max_threads > 0, "TaskGroup: max_threads is ", max_threads, ", expected at least 1");
}

TaskGroup::~TaskGroup() {
  {
    std::unique_lock lock(mutex_);
    if (!is_joined_ && std::uncaught_exceptions() <= exceptions_at_start_) {
      std::fputs("TaskGroup: destroyed without join(); an error would be lost\n", stderr);
      std::terminate();
    }
    queue_.clear();
    wait_idle(lock);
    is_closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void TaskGroup::run(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    is_joined_ = false;
    if (error_) return;
    queue_.push_back(std::move(task));
    if (queue_.size() > num_waiting_threads_ && threads_.size() < max_threads_) {
      threads_.emplace_back([this] { work(); });
    }
  }
  changed_.notify_all();
}

bool TaskGroup::is_failed() const {
  std::lock_guard lock(mutex_);
  return error_ != nullptr;
}

void TaskGroup::join() {
  std::exception_ptr error;
  {
    std::unique_lock lock(mutex_);
    wait_idle(lock);
    is_joined_ = true;
    error = std::exchange(error_, nullptr);
  }
  if (error) std::rethrow_exception(error);
}

void TaskGroup::wait_idle(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return queue_.empty() && num_running_ == 0; });
}

void TaskGroup::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++num_waiting_threads_;
    changed_.wait(lock, [this] { return !queue_.empty() || is_closing_; });
    --num_waiting_threads_;
    if (is_closing_) return;
    std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    ++num_running_;
    lock.unlock();
    std::exception_ptr error;
    try {
      task();
    } catch (...) {
      error = std::current_exception();
    }
    task = nullptr;  // destroy its captures before anyone learns that it is done
    lock.lock();
    --num_running_;
    if (error && !error_) {
      error_ = error;
      queue_.clear();
    }
    if (queue_.empty() && num_running_ == 0) changed_.notify_all();
  }
}

}  // namespace meshwright
