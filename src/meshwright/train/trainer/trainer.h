// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/log_prefix.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/data/prefetcher.h"
#include "meshwright/optim/learner.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/health/memory_account.h"
#include "meshwright/train/health/non_finite_guard.h"
#include "meshwright/train/health/signals.h"
#include "meshwright/train/health/phase_trace.h"
#include "meshwright/train/health/watchdog.h"
#include "meshwright/train/loop/agenda.h"
#include "meshwright/train/report/pace.h"
#include "meshwright/train/report/reporter.h"
#include "meshwright/train/report/run_folder.h"
#include "meshwright/train/report/time_account.h"
#include "meshwright/train/restore/config_changes.h"
#include "meshwright/train/restore/choose_checkpoint.h"
#include "meshwright/train/restore/state_builder.h"
#include "meshwright/train/step/metrics_queue.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/task/task.h"
#include "meshwright/train/trainer/config.h"
#include "meshwright/train/trainer/hooks.h"

namespace meshwright::train {

/// Everything a run consists of.
struct Job {
  TrainConfig config;
  std::shared_ptr<const Task> task;
  optim::LearnerOptions learner;
  data::SourcePtr source;
  std::map<std::string, data::SourcePtr> eval_sources;  // by evaluator
  Placement placement;
  /// Builds the state to start from if no checkpoint is restored. Absent: initial values.
  std::optional<StateBuilder> init_state = {};
  /// Start at the step of the built state, and with that batch, instead of 0.
  bool begins_at_built_step = false;
  /// Written into the run's folder and into checkpoints, as TOML. A run that resumes with another
  /// one reports the keys that have changed.
  std::string resolved_config = {};
  /// Whether schedules depend on config.max_step, so that a resumed run warns if it has changed.
  bool is_scheduled_by_max_step = true;
  /// Start from scratch even if there are checkpoints.
  bool fresh = false;
  /// With config.checkpoint.restore.step: move newer checkpoints aside instead of refusing to run.
  bool goes_back = false;
  std::vector<Hook> hooks = {};         // called in this order
  std::vector<SinkFactory> sinks = {};  // beside the files of the run
  /// Start time of the program, by steady_seconds(). Absent: time counts from the call of run().
  std::optional<double> began_seconds = {};
};

struct Outcome {
  std::int64_t step = 0;
  StopReason reason = StopReason::max_step;
  int stop_signal = 0;
  Results results;  // the newest of each evaluator, as "evaluator/metric"
  Results last;     // metrics of the last update; nothing if there was none

  /// Returns the newest result of "evaluator/metric"; nothing if the evaluator has not run, for
  /// example because the run was stopped early.
  std::optional<double> find_result(const std::string& name) const;
};

/// Trains, from the newest checkpoint in the run's folder if there is one. Throws the Error that
/// ends it: numerics where values were not finite, no_checkpoint, unavailable where trying again
/// may help. Handles signals while it runs, as StartupSignals and then SignalWatch say: before the
/// first update SIGTERM, SIGINT and SIGHUP end the process, later it saves and returns.
Outcome run(const Job& job, const runtime::Client& client);
/// Trains on the CPU, with as many virtual devices as the job's mesh has.
Outcome run(const Job& job);

/// One run: its parts, and the turns of boundaries and updates.
class Trainer {
 public:
  Trainer(const Job& job, const runtime::Client& client);

  Outcome run();

 private:
  Outcome train();
  // Before the first boundary.
  AgendaStart begin();
  void write_descriptions() const;
  /// Voids what metric files hold for `first_step` and later steps.
  void open_reporter(std::int64_t first_step);
  StepRestorer restorer();
  /// Returns false if there is no checkpoint. Throws if the run cannot continue from it.
  bool check_checkpoint();
  /// Returns the step of the restored checkpoint.
  std::optional<std::int64_t> restore();
  void adopt(const checkpoint::Stored& stored, bool resumes_data);
  std::int64_t num_batches_used(const checkpoint::Stored& stored) const;
  /// Makes the initial state. Returns its step.
  std::int64_t begin_anew();
  void start_data(std::int64_t step);

  /// Alternates boundaries and updates until the agenda is over.
  void take_turns();
  void call_hooks();
  void act(const Item& item);
  Verdict update(std::int64_t step);
  /// Returns false if a request came before the next batch.
  bool wait_for_data();
  /// Computes the update twice and reports where the bits differ.
  StepResults update_twice(std::int64_t step, const data::Batch& batch);
  void tell_difference(std::int64_t step, const std::string& what) const;
  void log(const Boundary& boundary);
  /// Returns no results if it was interrupted.
  Results evaluate(const Boundary& boundary, const std::string& name);
  /// Returns false if nothing could be saved here.
  bool save(const Boundary& boundary);
  void start_trace(const Boundary& boundary);
  void stop_trace();
  /// Seconds since the run began.
  double seconds() const;
  /// After the last boundary.
  Outcome finish();
  /// Polls the save in progress. Once it has ended, checks the run's folder.
  void poll_save();
  /// Throws no_checkpoint if it is gone. If it was moved, the run is to save and end.
  void look_after_folder();
  Request take_request();

  void handle_metrics(const StepMetrics& metrics);
  /// Reports which arrays are not finite and writes a table of them.
  void explain(const StepMetrics& metrics, std::int64_t batch);
  Results last_metrics() const;
  /// Goes back to the last checkpoint. Returns its step.
  std::int64_t rewind();
  checkpoint::Meta meta(std::int64_t step) const;
  std::vector<runtime::DeviceArray> params_for_eval(const EvaluatorConfig& config) const;
  /// "process 0 step 120] ".
  std::string log_prefix() const;
  /// Announces the next phase to the watchdog, the trace and, at this verbosity, the console.
  void enter(std::int64_t step, std::string_view phase, int verbosity = 2);

  const Job& job_;
  TimeAccount times_{job_.began_seconds};
  runtime::Client client_;
  int process_;                              // among those of the run
  std::atomic<std::int64_t> log_step_ = -1;  // what lines for people name; -1: none yet
  std::optional<ScopedLogPrefix> log_prefix_;
  ScopedVerbosity verbosity_{job_.config.verbosity};
  RunFolder folder_;
  OwningSetting owner_;
  const Setting& setting_ = owner_.get();
  std::vector<Evaluator> evaluators_;
  std::optional<checkpoint::Manager> checkpoints_;
  std::optional<SignalWatch> signals_;  // from the first update on
  PhaseTrace trace_;
  std::int64_t trace_start_ = 0;
  std::optional<Reporter> reporter_;
  std::optional<BuildState> built_;  // until the state begins with it
  std::optional<StepRunner> runner_;
  std::optional<data::Prefetcher> data_;
  NonFiniteGuard guard_;
  MetricsQueue metrics_;
  std::optional<Pace> pace_;
  std::optional<MemoryAccount> memory_;  // from the first step on
  const optim::RunLength length_;
  Agenda agenda_;
  const double start_seconds_ = steady_seconds();
  std::optional<Watchdog> watchdog_;

  std::vector<ConfigChange> config_changes_;  // since the checkpoint with which this run began
  checkpoint::Meta lineage_;                  // of what was restored; empty: begun here
  TimeSpent restored_times_;                  // until it was saved
  std::int64_t data_offset_ = 0;  // number of the batch minus that of the update it is used for
  int num_batches_described_ = 0;
  bool is_folder_moved_ = false;
  Request requested_by_hooks_;                   // since the last take_request()
  std::optional<std::int64_t> last_sound_step_;  // computed twice, with equal bits
  std::vector<float> last_values_;               // metrics of the newest step that are known
};

}  // namespace meshwright::train
