// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/parallel_units.h"

#include <algorithm>
#include <utility>

namespace meshwright::data {
namespace {

std::size_t num_threads(const RecordSettings& settings) {
  return static_cast<std::size_t>(settings.num_threads);
}

}  // namespace

ParallelUnits::ParallelUnits(const std::vector<DataFile>& files,
                             const std::vector<Unit>& units,
                             const RecordSettings& settings)
    : files_(files),
      units_(units),
      settings_(settings),
      max_begun_(2 * num_threads(settings)),
      // With fewer units than threads, decompression gets threads of its own.
      ahead_(units.size() < num_threads(settings) ? ReadAhead::yes : ReadAhead::no) {
  for (std::size_t i = 0; i < std::min(num_threads(settings), units.size()); ++i)
    threads_.emplace_back([this] { work(); });
}

ParallelUnits::~ParallelUnits() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

bool ParallelUnits::next(RecordBatch& batch) {
  std::unique_lock lock(mutex_);
  Queue* queue = nullptr;
  changed_.wait(lock, [&] {
    const auto found = queues_.find(current_);
    queue = found == queues_.end() ? nullptr : &found->second;
    return queue != nullptr && !queue->items.empty();
  });
  if (queue->items.front().error) std::rethrow_exception(queue->items.front().error);
  Item item = std::move(queue->items.front());
  queue->items.pop_front();
  queue->num_bytes -= item.batch.num_bytes();
  if (item.is_last) queues_.erase(current_++);
  lock.unlock();
  changed_.notify_all();
  batch = std::move(item.batch);
  return !item.is_last;
}

void ParallelUnits::work() {
  while (true) {
    std::size_t unit = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return is_closing_ || num_begun_ == units_.size() || num_begun_ < current_ + max_begun_;
      });
      if (is_closing_ || num_begun_ == units_.size()) return;
      unit = num_begun_++;
      queues_[unit];
    }
    read(unit);
  }
}

void ParallelUnits::read(std::size_t unit) {
  try {
    UnitReader reader(files_[units_[unit].file], units_[unit], settings_, ahead_);
    bool has_more = true;
    while (has_more) {
      Item item;
      has_more = reader.read(item.batch);
      item.is_last = !has_more;
      if (!push(unit, std::move(item))) return;
    }
  } catch (...) {
    push(unit, {.batch = {}, .is_last = true, .error = std::current_exception()});
  }
}

// Returns false if the results are no longer wanted.
bool ParallelUnits::push(std::size_t unit, Item item) {
  {
    std::unique_lock lock(mutex_);
    Queue& queue = queues_.at(unit);
    changed_.wait(lock, [&] { return queue.num_bytes < kMaxWaitingBytes || is_closing_; });
    if (is_closing_) return false;
    queue.num_bytes += item.batch.num_bytes();
    queue.items.push_back(std::move(item));
  }
  changed_.notify_all();
  return true;
}

}  // namespace meshwright::data
