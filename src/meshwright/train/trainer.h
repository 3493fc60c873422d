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
#include "meshwright/checkpoint/manager.h"
#include "meshwright/data/prefetcher.h"
#include "meshwright/optim/learner.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/agenda.h"
#include "meshwright/train/config.h"
#include "meshwright/train/config_changes.h"
#include "meshwright/train/extensions.h"
#include "meshwright/train/memory_account.h"
#include "meshwright/train/metrics_queue.h"
#include "meshwright/train/non_finite_guard.h"
#include "meshwright/train/pace.h"
#include "meshwright/train/reporter.h"
#include "meshwright/train/restored_step.h"
#include "meshwright/train/run_folder.h"
#include "meshwright/train/signals.h"
#include "meshwright/train/state_builder.h"
#include "meshwright/train/step_runner.h"
#include "meshwright/train/task.h"
#include "meshwright/train/time_account.h"
#include "meshwright/train/trace.h"
#include "meshwright/train/watchdog.h"

namespace meshwright::train {

/// Everything that a run consists of.
struct Job {
  TrainConfig config;
  std::shared_ptr<const Task> task;
  optim::LearnerOptions learner;
  data::SourcePtr source;
  std::map<std::string, data::SourcePtr> eval_sources;  // by evaluator
  Placement placement;
  /// Of the state to begin with where no checkpoint is restored; absent: initial values.
  std::optional<StateBuilder> init_state = {};
  /// Begin at the step of the state that was built, and with that batch, instead of 0.
  bool begins_at_built_step = false;
  /// Written into the run's folder and into checkpoints, as TOML. A run that resumes with another
  /// one reports the keys that have changed.
  std::string resolved_config = {};
  /// Whether schedules change with config.max_step, so that a resumed run must warn of another one.
  bool is_scheduled_by_max_step = true;
  /// Begin anew where there are checkpoints.
  bool fresh = false;
  /// With config.checkpoint.restore.step: newer checkpoints are moved aside. Otherwise they stop
  /// the run.
  bool goes_back = false;
  std::vector<Hook> hooks = {};         // called in this order
  std::vector<SinkFactory> sinks = {};  // beside the files of the run
  /// When the program began, by steady_seconds(); absent: the run counts from where it is called.
  std::optional<double> began_seconds = {};
};

struct Outcome {
  std::int64_t step = 0;
  StopReason reason = StopReason::max_step;
  int stop_signal = 0;
  Results results;  // the newest of each evaluator, as "evaluator/metric"
  Results last;     // metrics of the last update; nothing if there was none

  /// The newest result with this name, "evaluator/metric"; nothing if the evaluator has not run, as
  /// in a run that was stopped early.
  std::optional<double> find_result(const std::string& name) const;
};

/// Trains, from the newest checkpoint in the run's folder if there is one. Throws the Error that
/// ends it: numerics where values were not finite, no_checkpoint, unavailable where trying again
/// may help. Handles signals while it runs, as StartupSignals and then SignalWatch say: before the
/// first update SIGTERM, SIGINT and SIGHUP end the process, later it saves and returns.
Outcome run(const Job& job, const runtime::Client& client);
/// The same on the CPU, with as many virtual devices as the job's mesh has.
Outcome run(const Job& job);

/// A run's parts, and what its loop does with them.
class Trainer {
 public:
  Trainer(const Job& job, const runtime::Client& client);

  Outcome run();

 private:
  Outcome train();
  // Before the first boundary.
  AgendaStart begin();
  void write_descriptions() const;
  /// What the files have for `first_step` and later steps is void then.
  void open_reporter(std::int64_t first_step);
  StepRestorer restorer();
  /// Throws if the run cannot go on from its checkpoint. False: there is none.
  bool check_checkpoint();
  /// The step of the checkpoint that was restored.
  std::optional<std::int64_t> restore();
  void adopt(const checkpoint::Stored& stored, bool resumes_data);
  std::int64_t num_batches_used(const checkpoint::Stored& stored) const;
  /// The step to begin with where nothing is restored.
  std::int64_t begin_anew();
  void start_data(std::int64_t step);

  /// Boundaries and updates in turn, until the agenda is over.
  void take_turns();
  void call_hooks();
  void act(const Item& item);
  Verdict update(std::int64_t step);
  /// False: a request came before the next batch.
  bool wait_for_data();
  /// Tells where the two give different bits.
  StepResults update_twice(std::int64_t step, const data::Batch& batch);
  void tell_difference(std::int64_t step, const std::string& what) const;
  void log(const Boundary& boundary);
  /// Nothing if it was broken off.
  Results evaluate(const Boundary& boundary, const std::string& name);
  /// False: it could not be done here.
  bool save(const Boundary& boundary);
  void start_trace(const Boundary& boundary);
  void stop_trace();
  /// Since the run began.
  double seconds() const;
  /// After the last boundary.
  Outcome finish();
  /// Sees to the save that is going on. Once it has ended, looks after the run's folder.
  void poll_save();
  /// Throws no_checkpoint if it is gone. If it was moved, the run is to save and end.
  void look_after_folder();
  Request take_request();

  void handle_metrics(const StepMetrics& metrics);
  /// Tells what is not finite, and keeps a table of it.
  void explain(const StepMetrics& metrics, std::int64_t batch);
  Results last_metrics() const;
  /// Goes back to the last checkpoint; returns its step.
  std::int64_t rewind();
  checkpoint::Meta meta(std::int64_t step) const;
  std::vector<runtime::DeviceArray> params_for_eval(const EvaluatorConfig& config) const;
  /// "process 0 step 120] ".
  std::string log_prefix() const;
  /// Tells watchdog and trace what comes now, and people who want to know that much.
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
