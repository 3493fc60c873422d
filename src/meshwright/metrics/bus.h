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

/// Where records go. Used by one thread only.
class Sink {
 public:
  virtual ~Sink() = default;
  /// For messages: "tensorboard".
  virtual std::string name() const = 0;
  /// Throws if it cannot be written; the record is lost for this sink then, but what was written
  /// before stays readable, and the next record may succeed.
  virtual void write(const Record& record) = 0;
  virtual void report(const Progress& /*progress*/) {}
};

struct BusOptions {
  /// Only one process of a run writes. On the others a bus does nothing.
  bool is_writer = true;
  /// Records that wait to be written; what comes when they are that many is dropped.
  std::size_t max_queue = 10'000;
  /// Seconds since 1970; absent: the system's clock.
  std::function<double()> now = {};
};

/// Hands what the run tells to all sinks, on a thread of its own: telling takes microseconds even
/// if a disk hangs. Metrics never end a run: a sink that fails is reported by one warning and tried
/// again with each record; a second message tells when it works again, and how much is lost. Any
/// thread may call.
class Bus {
 public:
  explicit Bus(std::vector<std::unique_ptr<Sink>> sinks, BusOptions options = {});
  /// Writes what is left.
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  void write(std::int64_t step, std::vector<Entry> entries);
  /// The line for people, and the same for files as a record.
  void report(Progress progress);
  /// Waits until all that was told so far has reached the sinks, or failed to.
  void flush();
  /// Records that some sink did not get.
  std::int64_t num_lost() const;

 private:
  struct State;
  std::unique_ptr<State> state_;  // null: not the writer
};

}  // namespace meshwright::metrics
