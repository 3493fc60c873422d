// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace meshwright::data {

/// Returns text such as "; reading corpus.txt at byte 4096 has taken 601 seconds" if a file has
/// been read for at least this time; otherwise empty.
std::string slow_read_text(double seconds);

/// Returns once `is_ready_within`, which waits at most the given seconds, returns true. Throws
/// unavailable, naming the file and the offset, if a file is read for more than `timeout_seconds`
/// meanwhile.
void wait_for_reads(double timeout_seconds,
                    const std::function<bool(double seconds)>& is_ready_within);

/// Calls `function` on a thread of its own and returns its result or throws its exception. Throws
/// unavailable, naming the file and the offset, once reading a file takes more than
/// `timeout_seconds`. Then the thread is abandoned, so the function must own all that it uses.
template <typename T>
T with_read_timeout(double timeout_seconds, std::function<T()> function) {
  auto task = std::make_shared<std::packaged_task<T()>>(std::move(function));
  std::future<T> result = task->get_future();
  std::thread thread([task] { (*task)(); });
  try {
    wait_for_reads(timeout_seconds, [&](double seconds) {
      return result.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
    });
  } catch (...) {
    thread.detach();
    throw;
  }
  thread.join();
  return result.get();
}

}  // namespace meshwright::data
