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

/// Tasks that run on threads of their own, and whose errors cannot get lost:
///
///   TaskGroup group;
///   for (const Shard& shard : shards) group.run([&] { write(shard); });
///   group.join();  // throws what the first failing task threw
///
/// After an error, tasks that have not started never do. For work that waits for files and
/// networks; computations belong on the engine's pool. One thread uses a group; tasks may call run
/// and is_failed.
class TaskGroup {
 public:
  /// At most `max_threads` tasks run at once; threads start as they are needed.
  explicit TaskGroup(int max_threads = 8);
  /// Terminates the process if the group was not joined since the last run, because an error would
  /// be lost. While an exception passes through, it waits for the tasks instead and drops their
  /// errors in favour of that one.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Queues a task. It is dropped if another one has failed already.
  void run(std::function<void()> task);
  /// True once a task has failed; long tasks may ask and give up.
  bool is_failed() const;
  /// Waits until all tasks are done, then throws the first error. The group can be used again.
  void join();

 private:
  void work();
  void wait_idle(std::unique_lock<std::mutex>& lock);

  const std::size_t max_threads_;
  const int exceptions_at_start_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a task came, the last one is done, or the group closes
  std::deque<std::function<void()>> queue_;
  std::size_t num_running_ = 0;
  std::size_t num_waiting_threads_ = 0;
  std::exception_ptr error_;
  bool is_joined_ = true;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace meshwright
