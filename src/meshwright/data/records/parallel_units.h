// SPDX-License-Identifier: Apache-2.0
// Internal to records/: reads several units at once and returns their batches in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "meshwright/data/records/unit_reader.h"

namespace meshwright::data {

/// Memory: at most kMaxWaitingBytes of records and a few blocks for each of 2 * num_threads units.
class ParallelUnits {
 public:
  static constexpr std::int64_t kRangeBytes = 4 << 20;

  /// The arguments must outlive it.
  ParallelUnits(const std::vector<DataFile>& files,
                const std::vector<Unit>& units,
                const RecordSettings& settings);
  ~ParallelUnits();
  ParallelUnits(const ParallelUnits&) = delete;
  ParallelUnits& operator=(const ParallelUnits&) = delete;

  /// Waits for the next batch of the current unit. Returns false if the unit ended with it; the
  /// next unit is then the current one. Throws the error that reading the unit met.
  bool next(RecordBatch& batch);

 private:
  static constexpr std::size_t kMaxWaitingBytes = 8 << 20;

  struct Item {
    RecordBatch batch;
    bool is_last = false;
    std::exception_ptr error = nullptr;
  };
  struct Queue {
    std::deque<Item> items;
    std::size_t num_bytes = 0;
  };

  void work();
  void read(std::size_t unit);
  bool push(std::size_t unit, Item item);

  const std::vector<DataFile>& files_;
  const std::vector<Unit>& units_;
  const RecordSettings& settings_;
  const std::size_t max_begun_;  // units that may be begun and not consumed
  const ReadAhead ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Queue> queues_;  // of the units that were begun and not consumed
  std::size_t current_ = 0;              // the unit that next() returns
  std::size_t num_begun_ = 0;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace meshwright::data
