// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "meshwright/base/log.h"

namespace meshwright {

/// Runs one function on its own thread:
///
///   Background<Executable> step([&] { return client.compile(program); });
///   ...
///   step.get();  // waits
///
/// The destructor waits too, and logs a warning if the function threw and get() was never called,
/// so no error is lost. For several tasks, see TaskGroup.
template <typename T>
class Background {
 public:
  explicit Background(std::function<T()> function)
      : state_(std::make_unique<State>(std::move(function))) {}

  /// Waits for the function. Every call, on any thread, returns the result or rethrows the
  /// exception.
  decltype(auto) get() const {
    state_->is_asked = true;
    return state_->result.get();
  }
  /// True once get() no longer waits.
  bool is_ready() const {
    return state_->result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Returns a future for others to wait on. Reading the result from it does not count as a call to
  /// get().
  std::shared_future<T> future() const { return state_->result; }

 private:
  struct State {
    explicit State(std::function<T()> function) {
      std::packaged_task<T()> task(std::move(function));
      result = task.get_future();
      thread = std::jthread(std::move(task));
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
      if (is_asked) return;
      try {
        result.get();
      } catch (const std::exception& error) {
        log_warning("a background task failed, and its result was never read: ", error.what());
      } catch (...) {
        log_warning("a background task failed, and its result was never read");
      }
    }

    std::shared_future<T> result;
    std::atomic<bool> is_asked = false;
    std::jthread thread;  // last: joined first
  };

  std::unique_ptr<State> state_;
};

}  // namespace meshwright
