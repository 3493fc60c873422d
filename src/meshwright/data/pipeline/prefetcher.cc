// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/pipeline/prefetcher.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/base/wait_time.h"
#include "meshwright/data/core/read_timeout.h"

namespace meshwright::data {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kSecondsBetweenQuestions = 0.1;

struct Made {
  Batch batch;
  std::exception_ptr error;
};

}  // namespace

// Owned jointly by all threads, so that a thread that hangs in the source can be detached.
struct Prefetcher::Shared {
  SourcePtr source;
  Rows rows;
  std::vector<IntegerRange> ranges;
  std::int64_t depth;
  std::optional<std::int64_t> end_step;

  std::mutex mutex;
  std::condition_variable made_one;   // for the consumer
  std::condition_variable may_start;  // for the producers
  std::int64_t next_to_make;
  std::int64_t next_to_take;
  int num_running;                    // threads
  std::map<std::int64_t, Made> made;  // by step
  bool is_stopping = false;           // no new batches: an error, the end, or the destructor

  bool has_ended(std::int64_t step) const {
    std::optional<std::int64_t> num_batches = source->num_batches();
    return (num_batches && step >= *num_batches) || (end_step && step >= *end_step);
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      may_start.wait(lock, [&] { return is_stopping || next_to_make < next_to_take + depth; });
      if (is_stopping || has_ended(next_to_make)) break;
      const std::int64_t step = next_to_make++;
      lock.unlock();
      Made result = make(step);
      lock.lock();
      if (result.error) is_stopping = true;
      made.emplace(step, std::move(result));
      made_one.notify_all();
    }
    --num_running;
    may_start.notify_all();
    made_one.notify_all();
  }

  Made make(std::int64_t step) const {
    Made out;
    auto context = [&] { return str("data: batch ", step, " of source '", source->name(), "'"); };
    try {
      out.batch = source->batch(step, rows);
      check_integers(out.batch, ranges, rows);
    } catch (const Error& error) {
      out.error = std::make_exception_ptr(error.with_context(context()));
    } catch (const std::exception& error) {
      out.error =
          std::make_exception_ptr(Error(ErrorCode::internal, str(context(), ": ", error.what())));
    } catch (...) {
      out.error = std::make_exception_ptr(
          Error(ErrorCode::internal, str(context(), ": unknown exception")));
    }
    return out;
  }
};

Prefetcher::Prefetcher(SourcePtr source, PrefetchOptions options)
    : next_step_(options.first_step),
      timeout_seconds_(options.timeout_seconds),
      end_seconds_(options.end_seconds),
      shared_(std::make_shared<Shared>()) {
  MW_CHECK(options.num_threads > 0 && options.depth > 0 && options.timeout_seconds > 0,
           "data: prefetching: num_threads is ", options.num_threads, ", depth is ", options.depth,
           ", timeout_seconds is ", options.timeout_seconds, "; all must be positive");
  shared_->rows = options.rows.value_or(Rows{0, batch_size(*source)});
  shared_->source = std::move(source);
  shared_->ranges = std::move(options.ranges);
  shared_->depth = options.depth;
  shared_->end_step = options.end_step;
  shared_->next_to_make = shared_->next_to_take = options.first_step;
  shared_->num_running = options.num_threads;
  try {
    for (int i = 0; i < options.num_threads; ++i)
      threads_.emplace_back([shared = shared_] { shared->work(); });
  } catch (const std::system_error& error) {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->num_running -= options.num_threads - static_cast<int>(threads_.size());
    }
    end_threads();
    fail_with_remedy(ErrorCode::unavailable,
                     set_config("use fewer threads", {{"prefetch.threads", "2"}}), "data: only ",
                     threads_.size(), " of ", options.num_threads,
                     " threads could be started: ", error.what());
  }
}

Prefetcher::~Prefetcher() {
  end_threads();
}

void Prefetcher::end_threads() {
  bool all_ended = false;
  {
    std::unique_lock lock(shared_->mutex);
    shared_->is_stopping = true;
    shared_->may_start.notify_all();
    all_ended = shared_->may_start.wait_for(lock, wait_time(end_seconds_),
                                            [&] { return shared_->num_running == 0; });
  }
  if (!all_ended) {
    log_warning("data: source '", shared_->source->name(),
                "' does not return; its thread is abandoned");
  }
  for (std::thread& thread : threads_) {
    if (all_ended)
      thread.join();
    else
      thread.detach();
  }
}

bool Prefetcher::is_ready_within(double seconds) {
  if (shared_->has_ended(next_step_)) return true;
  std::unique_lock lock(shared_->mutex);
  auto is_there = [&] { return shared_->made.contains(next_step_); };
  if (is_there()) return true;
  const Clock::time_point begin = Clock::now();
  const bool came = shared_->made_one.wait_for(lock, wait_time(seconds), is_there);
  wait_seconds_ += Seconds(Clock::now() - begin).count();
  return came;
}

bool Prefetcher::wait_unless(const std::function<bool()>& should_stop) {
  const Clock::time_point begin = Clock::now();
  while (!is_ready_within(std::min(kSecondsBetweenQuestions, timeout_seconds_))) {
    if (should_stop && should_stop()) return false;
    if (Seconds(Clock::now() - begin).count() >= timeout_seconds_) fail_late();
  }
  return true;
}

void Prefetcher::fail_late() const {
  fail(ErrorCode::unavailable, "data: batch ", next_step_, " of source '", shared_->source->name(),
       "' timed out after ", timeout_seconds_, " seconds", slow_read_text(timeout_seconds_ / 2),
       "\nfind out what the source is waiting for, or increase prefetch.timeout_seconds");
}

std::optional<Batch> Prefetcher::next() {
  if (!is_ready_within(timeout_seconds_)) fail_late();
  if (shared_->has_ended(next_step_)) return std::nullopt;
  std::unique_lock lock(shared_->mutex);
  std::map<std::int64_t, Made>& made = shared_->made;
  if (made.at(next_step_).error) std::rethrow_exception(made.at(next_step_).error);
  Batch out = std::move(made.at(next_step_).batch);
  made.erase(next_step_);
  shared_->next_to_take = ++next_step_;
  shared_->may_start.notify_all();
  return out;
}

}  // namespace meshwright::data
