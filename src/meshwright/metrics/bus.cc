// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/bus.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "meshwright/base/log.h"

namespace meshwright::metrics {
namespace {

double system_seconds() {
  auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_1970).count();
}

struct Message {
  Record record;
  std::optional<Progress> progress;
};

// Runs on the thread of the bus, once for all sinks.
void make_histograms(Record& record) {
  for (Entry& entry : record.entries) {
    if (const auto* distribution = std::get_if<Distribution>(&entry.value))
      entry.value = histogram(distribution->values);
  }
}

struct SinkState {
  std::unique_ptr<Sink> sink;
  std::int64_t num_lost = 0;  // since it last succeeded
};

}  // namespace

struct Bus::State {
  std::vector<SinkState> sinks;
  BusOptions options;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Message> queue;
  std::int64_t num_told = 0;
  std::int64_t num_done = 0;
  std::int64_t num_lost = 0;
  std::int64_t num_dropped = 0;
  bool is_closing = false;
  std::thread thread;

  void tell(Message message) {
    std::lock_guard lock(mutex);
    if (queue.size() >= options.max_queue) {
      ++num_lost;
      if (num_dropped++ == 0) {
        log_warning("metrics: ", queue.size(), " records are queued; new ones are dropped");
      }
      return;
    }
    ++num_told;
    queue.push_back(std::move(message));
    changed.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return is_closing || !queue.empty(); });
      if (queue.empty()) return;
      Message message = std::move(queue.front());
      queue.pop_front();
      const std::int64_t dropped = std::exchange(num_dropped, 0);
      lock.unlock();
      make_histograms(message.record);
      if (dropped > 0) log_warning("metrics: ", dropped, " records were dropped");
      std::int64_t lost = 0;
      for (SinkState& sink : sinks)
        lost += deliver(message, sink) ? 0 : 1;
      lock.lock();
      num_lost += lost;
      ++num_done;
      changed.notify_all();
    }
  }

  static bool deliver(const Message& message, SinkState& to) {
    std::string reason;
    try {
      if (!message.record.entries.empty()) to.sink->write(message.record);
      if (message.progress) to.sink->report(*message.progress);
    } catch (const std::exception& error) {
      reason = error.what();
    }
    if (reason.empty() && to.num_lost > 0) {
      log_info("metrics: ", to.sink->name(), " recovered at step ", message.record.step, "; ",
               std::exchange(to.num_lost, 0), " records were lost");
    }
    if (reason.empty()) return true;
    if (to.num_lost++ == 0) {
      log_warning("metrics: ", to.sink->name(), " failed at step ", message.record.step,
                  "; the run continues and keeps retrying: ", reason);
    }
    return false;
  }
};

Bus::Bus(std::vector<std::unique_ptr<Sink>> sinks, BusOptions options) {
  if (!options.is_writer) return;
  state_ = std::make_unique<State>();
  for (std::unique_ptr<Sink>& sink : sinks)
    state_->sinks.push_back({std::move(sink)});
  state_->options = std::move(options);
  if (!state_->options.now) state_->options.now = system_seconds;
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Bus::~Bus() {
  if (!state_) return;
  {
    std::lock_guard lock(state_->mutex);
    state_->is_closing = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
  for (const SinkState& sink : state_->sinks) {
    if (sink.num_lost > 0)
      log_warning("metrics: the last ", sink.num_lost, " records were not written to ",
                  sink.sink->name());
  }
}

void Bus::write(std::int64_t step, std::vector<Entry> entries) {
  if (!state_ || entries.empty()) return;
  state_->tell({{step, state_->options.now(), std::move(entries)}, std::nullopt});
}

void Bus::report(Progress progress) {
  if (!state_) return;
  state_->tell({{progress.step, state_->options.now(), entries_of(progress)}, std::move(progress)});
}

void Bus::flush() {
  if (!state_) return;
  std::unique_lock lock(state_->mutex);
  const std::int64_t told = state_->num_told;
  state_->changed.wait(lock, [&] { return state_->num_done >= told; });
}

std::int64_t Bus::num_lost() const {
  if (!state_) return 0;
  std::lock_guard lock(state_->mutex);
  return state_->num_lost;
}

}  // namespace meshwright::metrics
