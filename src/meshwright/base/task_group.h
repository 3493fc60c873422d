// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace meshwright {

/// Runs tasks on its own threads without losing their errors:
///
///   TaskGroup group;
///   for (const Shard& shard : shards) group.run([&] { write(shard); });
///   group.join();  // rethrows the first error of a task
///
/// After an error, tasks that have not started are dropped. Use it for work that waits for files or
/// networks; computations belong on the engine's pool. A group belongs to one thread; its tasks may
/// call run() and is_failed().
class TaskGroup {
 public:
  /// Runs at most `max_threads` tasks at once. Threads start on demand.
  explicit TaskGroup(int max_threads = 8);
  /// Terminates the process if run() was called since the last join(), because an error would be
  /// lost. During stack unwinding it waits for the tasks instead, and drops their errors in favour
  /// of the current exception.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Queues a task, or drops it if another task has already failed.
  void run(std::function<void()> task);
  /// Returns true once a task has failed, so that long tasks can stop early.
  bool is_failed() const;
  /// Waits for all tasks, then rethrows the first error, if any. The group can be reused
  /// afterwards.
  void join();

 private:
  void work();
  void wait_idle(std::unique_lock<std::mutex>& lock);

  const std::size_t max_threads_;
  const int exceptions_at_start_;
  mutable std::mutex mutex_;
  // a task was queued, the last one finished, or the group is closing
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::size_t num_running_ = 0;
  std::size_t num_waiting_threads_ = 0;
  std::exception_ptr error_;
  bool is_joined_ = true;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace meshwright
