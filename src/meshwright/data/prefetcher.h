// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "meshwright/data/combinators.h"
#include "meshwright/data/integer_range.h"
#include "meshwright/data/source.h"

namespace meshwright::data {

struct PrefetchOptions {
  std::int64_t first_step = 0;
  std::optional<std::int64_t> end_step = {};  // no batch from here on; absent: as the source ends
  std::optional<Rows> rows = {};              // absent: the whole batch
  int num_threads = 2;
  int depth = 4;  // at most this many batches are in memory or being made
  /// How long next() waits before it gives up on a source that hangs.
  double timeout_seconds = 600;
  /// How long the destructor waits for batches that are being made.
  double end_seconds = 5;
  /// Of the integers in every batch; next() throws for one that is outside.
  std::vector<IntegerRange> ranges = {};
};

/// Makes batches ahead of time, on threads of its own, and hands them out in order. One thread
/// takes them.
class Prefetcher {
 public:
  /// Throws invalid_argument for numbers that are not positive.
  Prefetcher(SourcePtr source, PrefetchOptions options);
  /// Waits for batches that are being made. A thread that hangs in the source is left behind, with
  /// a warning.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The next batch; nothing after the last one. Throws what the source threw, with the source and
  /// the step, when that batch's turn comes, and again whenever it is called thereafter; throws
  /// unavailable if the batch has not come in time.
  std::optional<Batch> next();

  /// Waits for the next batch, this long at most. True if next() will not wait: the batch is there,
  /// or an error, or the end. For a caller that has other things to look after meanwhile.
  bool is_ready_within(double seconds);

  /// Waits until next() will not wait. False: `should_stop`, asked ten times a second, said so
  /// before. Throws unavailable if the batch has not come in time.
  bool wait_unless(const std::function<bool()>& should_stop);

  /// The step whose batch next() gives next.
  std::int64_t next_step() const { return next_step_; }
  /// How long the caller has waited for the source so far, in all.
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
