// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/data/pipeline/prefetcher.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/health/memory_account.h"
#include "meshwright/train/health/non_finite_guard.h"
#include "meshwright/train/loop/agenda.h"
#include "meshwright/train/report/data_waits.h"
#include "meshwright/train/report/pace.h"
#include "meshwright/train/report/reporter.h"
#include "meshwright/train/step/metrics_queue.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/job.h"
#include "meshwright/train/trainer/position.h"
#include "meshwright/train/trainer/run_parts.h"
#include "meshwright/train/trainer/session.h"
#include "meshwright/train/trainer/starting_state.h"

namespace meshwright::train {

/// Parts of a Trainer; all of them must outlive it.
struct TrainerParts {
  const Job& job;
  const runtime::Client& client;
  Session& session;
  RunParts& parts;
  StartingState& state;
  StepRunner& runner;
};

/// A batch, or the reason why there is none.
struct NextBatch {
  std::optional<data::Batch> batch = {};
  Verdict otherwise = {};
};

/// Performs the work of a run between its start and its end: the items at each boundary, and the
/// updates. train() in run.cc shows the order.
class Trainer {
 public:
  /// Starts at `start`, with the state that the runner holds: opens the metrics, starts prefetching
  /// batches and waits until the step is compiled.
  Trainer(const TrainerParts& parts, const Position& start);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // At a boundary.
  /// Calls the hooks due at this time. Must be called once per boundary with `before_actions`.
  void call_hooks(HookTime now);
  /// Returns the next item of work; nullopt if the boundary is done.
  std::optional<Item> next_item();
  void act(const Item& item);
  /// True if the run ends at this boundary. False at its last step if that must be rewound first.
  bool is_over() const {
    return agenda_.is_over() && !(guard_.must_rewind() && agenda_.boundary().is_last());
  }

  // Between two boundaries.
  /// Waits for the next batch. Rewinds to the last checkpoint first if required.
  NextBatch next_batch();
  Verdict update(const data::Batch& batch);
  void record_verdict(const Verdict& verdict);

  /// Must be called after the last boundary. Waits for the last save, closes the metrics and
  /// reports why the run ended.
  Outcome finish();

 private:
  std::int64_t step() const { return agenda_.boundary().step; }
  /// Returns the number of batches that the run has used at `step`, with those lost in rewinds.
  std::int64_t num_batches(std::int64_t step) const { return step + position_.data_offset; }
  /// Returns the same number with those that were skipped.
  std::int64_t data_position(std::int64_t step) const {
    return job_.skipped_batches.end(num_batches(step));
  }
  /// Returns the number, in the job's source, of the batch of the update from `step` to the next.
  std::int64_t batch_number(std::int64_t step) const {
    return job_.skipped_batches.position(num_batches(step));
  }
  /// Discards metrics of `first_step` and later steps in the run's files.
  std::unique_ptr<Reporter> open_reporter(std::int64_t first_step) const;
  std::unique_ptr<data::Prefetcher> open_data(std::int64_t step) const;
  void report_start();

  bool is_batch_ready();
  /// Computes the update twice and reports where the bits differ.
  StepResults update_twice(std::int64_t step, const data::Batch& batch);
  void report_difference(std::int64_t step, const std::string& what) const;
  std::int64_t rewind();

  void log(const Boundary& boundary);
  /// Returns no results if interrupted.
  Results evaluate(const Boundary& boundary, const std::string& name);
  /// Returns false if nothing could be saved here.
  bool save(const Boundary& boundary);
  checkpoint::Meta meta(std::int64_t step) const;
  /// Polls the save in progress. Once it has ended, checks the run's folder.
  void poll_save();
  /// Throws no_checkpoint if the folder is gone. If it was moved, asks the run to save and end.
  void check_folder();

  void handle_metrics(const StepMetrics& metrics);
  /// Reports which arrays are not finite and writes a table of them.
  void explain(const StepMetrics& metrics, std::int64_t batch);
  Results last_metrics() const;
  std::vector<runtime::DeviceArray> params_for_eval(const EvaluatorConfig& config) const;

  const Job& job_;
  runtime::Client client_;
  Session& session_;
  RunParts& parts_;
  StartingState& state_;
  StepRunner& runner_;

  data::SourcePtr source_;  // without skipped batches
  Position position_;       // where the current stretch of steps began
  NonFiniteGuard guard_;
  MetricsQueue metrics_;
  std::unique_ptr<Reporter> reporter_;      // replaced after a rewind
  std::unique_ptr<data::Prefetcher> data_;  // replaced after a rewind
  MemoryAccount memory_;
  Pace pace_;
  DataWaits waits_;
  Agenda& agenda_;

  int num_batches_described_ = 0;
  bool is_folder_moved_ = false;
  Request requested_by_hooks_;                   // since the last next_item()
  std::optional<std::int64_t> last_sound_step_;  // newest step computed twice with equal bits
  std::vector<float> last_values_;  // metrics of the newest step whose values are known
};

}  // namespace meshwright::train
