// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "meshwright/config/check.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/integer_range.h"
#include "meshwright/data/core/source.h"

namespace meshwright::data {

struct PrefetchOptions {
  std::int64_t first_step = 0;
  // stop before this step; if absent, at the end of the source
  std::optional<std::int64_t> end_step = {};
  std::optional<Rows> rows = {};  // defaults to the whole batch
  int num_threads = 1;
  int depth = 4;  // maximum number of batches finished or in progress
  /// Time after which next() gives up on a source that hangs.
  double timeout_seconds = 600;
  /// Time for which the destructor waits for batches in progress.
  double end_seconds = 2;
  /// Bounds on the integers in every batch. next() throws if a value is out of range.
  std::vector<IntegerRange> ranges = {};

  /// The members that a config sets.
  void fields(auto& f) {
    f.optional("threads", num_threads, config::between(1, 1024),
               "Number of threads that make batches.");
    f.optional("depth", depth, config::between(1, 65536),
               "Maximum number of batches to make ahead of time.");
    f.optional("timeout_seconds", timeout_seconds, config::kPositive, "Time limit for one batch.")
        .unit("seconds");
  }
};

/// Makes batches ahead of time on its own threads and returns them in order. Supports one consumer
/// thread.
class Prefetcher {
 public:
  /// Throws invalid_argument if a number is not positive.
  Prefetcher(SourcePtr source, PrefetchOptions options);
  /// Waits for batches in progress. Detaches a thread that hangs in the source, with a warning.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Returns the next batch; nullopt after the last one. If the source failed, throws its error,
  /// with the source and step, once that batch is due and on every later call. Throws unavailable
  /// on timeout.
  std::optional<Batch> next();

  /// Waits at most `seconds` for the next batch. Returns true if next() would not block: a batch,
  /// an error or the end is available. For callers with other work to do.
  bool is_ready_within(double seconds);

  /// Waits until next() would not block and returns true. Returns false as soon as `should_stop`,
  /// polled ten times a second, returns true. Throws unavailable on timeout.
  bool wait_unless(const std::function<bool()>& should_stop);

  /// Returns the step of the batch that next() will return.
  std::int64_t next_step() const { return next_step_; }
  /// Returns the total time the caller has waited for the source.
  double wait_seconds() const { return wait_seconds_; }

 private:
  struct Shared;

  [[noreturn]] void fail_late() const;
  void end_threads();

  std::int64_t next_step_;
  double timeout_seconds_;
  double end_seconds_;
  double wait_seconds_ = 0;
  std::shared_ptr<Shared> shared_;
  std::vector<std::thread> threads_;
};

}  // namespace meshwright::data
