// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "meshwright/base/task_group.h"

namespace meshwright {

/// Runs functions on threads and returns their results in order:
///
///   OrderedTasks<Page> pages(num_threads);
///   while (more()) {
///     if (pages.is_full()) use(pages.pop());
///     pages.push(next());
///   }
///   while (!pages.is_empty()) use(pages.pop());
///
/// The destructor waits for tasks that are running, and drops the others.
template <typename Result>
class OrderedTasks {
 public:
  explicit OrderedTasks(int num_threads)
      : OrderedTasks(num_threads, 2 * static_cast<std::size_t>(num_threads)) {}
  /// Limits the total cost of the results that wait, such as their size in bytes.
  OrderedTasks(int num_threads, std::size_t max_cost)
      : max_cost_(max_cost), threads_(num_threads) {}
  ~OrderedTasks() {
    is_closing_ = true;
    threads_.join();
  }
  OrderedTasks(const OrderedTasks&) = delete;
  OrderedTasks& operator=(const OrderedTasks&) = delete;

  /// True if the limit is reached. By default, that is with twice as many results to pop as
  /// threads, enough to keep all of them busy.
  bool is_full() const { return cost_ >= max_cost_; }
  bool is_empty() const { return waiting_.empty(); }

  void push(std::function<Result()> function, std::size_t cost = 1) {
    auto task = std::make_shared<std::packaged_task<Result()>>(std::move(function));
    waiting_.push_back({task->get_future(), cost});
    cost_ += cost;
    threads_.run([this, task] {
      if (!is_closing_) (*task)();
    });
  }
  /// Returns the oldest result, or throws the exception of its function. Requires !is_empty().
  Result pop() {
    Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    cost_ -= first.cost;
    return first.result.get();
  }

 private:
  struct Waiting {
    std::future<Result> result;
    std::size_t cost;
  };

  const std::size_t max_cost_;
  std::size_t cost_ = 0;  // of waiting_
  std::atomic<bool> is_closing_ = false;
  std::deque<Waiting> waiting_;
  TaskGroup threads_;
};

}  // namespace meshwright
