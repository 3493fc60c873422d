// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/metrics/event.h"
#include "meshwright/metrics/progress.h"

namespace meshwright::metrics {

/// A destination for records. Used by one thread only.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Returns the name used in messages, such as "tensorboard".
  virtual std::string name() const = 0;
  /// Throws if the record cannot be written. The record is then lost for this sink, but earlier
  /// records stay readable and the next write may succeed.
  virtual void write(const Record& record) = 0;
  virtual void report(const Progress& /*progress*/) {}
};

struct BusOptions {
  /// True in exactly one process of a run. In the others, the bus does nothing.
  bool is_writer = true;
  /// Maximum number of queued records. Further records are dropped.
  std::size_t max_queue = 10'000;
  /// Returns seconds since 1970. Defaults to the system clock.
  std::function<double()> now = {};
};

/// Passes records to all sinks on its own thread, so that write() returns within microseconds even
/// if a disk hangs. A failing sink never ends a run: it causes one warning and is retried with each
/// record; a second message reports its recovery and the number of lost records. Thread-safe.
class Bus {
 public:
  explicit Bus(std::vector<std::unique_ptr<Sink>> sinks, BusOptions options = {});
  /// Writes all queued records.
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  void write(std::int64_t step, std::vector<Entry> entries);
  /// Reports progress to the sinks and also writes it as a record.
  void report(Progress progress);
  /// Waits until all earlier records have reached the sinks or been lost.
  void flush();
  /// Returns the number of losses: one for each record dropped from the full queue, and one for
  /// each record that a sink failed to write, summed over the sinks.
  std::int64_t num_lost() const;

 private:
  struct State;
  std::unique_ptr<State> state_;  // null if this process is not the writer
};

}  // namespace meshwright::metrics
