// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/skipped_batches.h"
#include "meshwright/data/core/source.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/train/foreign/foreign_system.h"
#include "meshwright/train/loop/boundary.h"
#include "meshwright/train/report/sink_factory.h"
#include "meshwright/train/restore/state_builder.h"
#include "meshwright/train/task/task.h"
#include "meshwright/train/trainer/config.h"
#include "meshwright/train/trainer/hooks.h"

namespace meshwright::train {

/// Everything that defines a run.
struct Job {
  TrainConfig config;
  std::shared_ptr<const Task> task;
  optim::LearnerOptions learner;
  data::SourcePtr source;
  /// Batches of `source` to leave out. A resumed run continues with the first batch that has been
  /// neither used nor skipped, even if these have changed.
  data::SkippedBatches skipped_batches = {};
  std::map<std::string, data::SourcePtr> eval_sources;  // keyed by evaluator
  Placement placement;
  /// Builds the state to start from if no checkpoint is restored. Defaults to the initial values.
  std::optional<StateBuilder> init_state = {};
  /// Start from the built state's step, and from the batch of that number, instead of from 0.
  bool begins_at_built_step = false;
  /// Systems whose names are used when reading and writing checkpoints in their formats. For a
  /// format whose system is not listed, Meshwright's names are used.
  ForeignSystems systems = {};
  /// The config as TOML, written into the run's folder and into checkpoints. A run that resumes
  /// with a different config reports the keys that changed.
  std::string resolved_config = {};
  /// Files to write into the run's folder when it starts, such as its tokenizer: name to content.
  std::map<std::string, std::string> kept_files = {};
  /// True if schedules depend on config.max_step, so that a resumed run warns if it has changed.
  bool is_scheduled_by_max_step = true;
  /// Start from scratch even if there are checkpoints.
  bool fresh = false;
  /// With config.checkpoint.restore.step: move newer checkpoints aside instead of refusing to run.
  bool goes_back = false;
  std::vector<Hook> hooks = {};         // called in this order
  std::vector<SinkFactory> sinks = {};  // in addition to the files of the run
  /// Start time of the program, by steady_seconds(). Defaults to the time of the call to run().
  std::optional<double> began_seconds = {};
};

struct Outcome {
  std::int64_t step = 0;
  StopReason reason = StopReason::max_step;
  int stop_signal = 0;
  Results results;  // newest of each evaluator, keyed by "evaluator/metric"
  Results last;     // metrics of the last update; empty if there was none

  /// Returns the newest result of "evaluator/metric"; nullopt if the evaluator has not run, for
  /// example because the run was stopped early.
  std::optional<double> find_result(const std::string& name) const;
};

}  // namespace meshwright::train
