// SPDX-License-Identifier: Apache-2.0
// Settings of a run that the trainer owns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/pattern.h"
#include "meshwright/data/pipeline/prefetcher.h"
#include "meshwright/nn/init_config.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/health/update_check.h"
#include "meshwright/train/health/watchdog.h"
#include "meshwright/train/loop/agenda.h"
#include "meshwright/train/report/sink_config.h"
#include "meshwright/train/step/step_options.h"
#include "meshwright/train/trainer/checkpoint_config.h"

namespace meshwright::train {

struct PrefetchConfig {
  data::PrefetchOptions batches;
  /// Continue a resumed run with the next batch. False: start over with the first.
  bool resume = true;
  /// Allow resuming with data that differs from the data the checkpoint was trained on.
  bool allow_other_data = false;

  void fields(auto& f) {
    batches.fields(f);
    f.optional(
        "resume", resume,
        "Continue with the next batch when resuming. `false`: start over with the first one.");
    f.optional("allow_other_data", allow_other_data,
               "Allow resuming with different data than the checkpoint was made with.");
  }
};

/// Overrides the initial values that the model declares.
struct InitialValuesConfig {
  std::string pattern;
  nn::InitConfig init;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern,
               "Pattern that must match the whole path of a parameter.");
    f.required("init", init, "Distribution of the initial values.");
  }
};

struct TrainConfig {
  std::string dir = "runs/default";
  std::int64_t seed = 0;
  config::OrEndless<optim::DurationConfig> max_step;  // if absent, until the data is exhausted
  std::map<std::string, EvaluatorConfig> evaluators;
  LoopConfig loop;
  CheckpointConfig checkpoint;
  StepOptions step;
  std::vector<InitialValuesConfig> initial_values;  // the first match wins
  SinkConfigs sinks = default_sinks();
  bool log_prefix = false;           // prefix console lines with process and step
  int verbosity = 0;                 // see base/verbosity.h
  std::optional<double> peak_flops;  // of one device; if absent, looked up by device kind
  SdcCheckConfig sdc_check;
  PrefetchConfig prefetch;
  WatchdogConfig watchdog;

  void fields(auto& f) {
    f.optional("dir", dir, config::kNonEmpty, "Folder of the run.");
    f.optional("seed", seed, config::kNotNegative,
               "Seed for initial values, dropout and data order.");
    f.optional("max_step", max_step,
               "Number of updates to train for, in steps or as a duration. `auto` or `inf`: until "
               "the data is exhausted.");
    f.optional("evaluators", evaluators, "Evaluators, keyed by name.");
    loop.fields(f);
    f.optional("checkpoint", checkpoint, "Saving and restoring.");
    step.fields(f);
    f.optional("initial_values", initial_values,
               "Initial values by parameter path, instead of those the model declares. The first "
               "match counts.");
    f.optional("sinks", sinks, "Destinations of metrics, besides the console.");
    f.check(
        "sinks", [this] { return are_distinct(sinks); }, "name each type once");
    f.optional("log_prefix", log_prefix, "Prefix console lines with the process and step.");
    f.optional("verbosity", verbosity, config::between(0, 3),
               "Level of detail of console output. 1: compilation, restored arrays and arrays "
               "without gradient. 2: actions between updates. 3: every update.");
    f.optional("peak_flops", peak_flops, config::kPositive,
               "Peak FLOP/s of one device, for MFU. `none`: the known value for this kind of "
               "device, if any.")
        .unit("FLOP/s");
    f.optional("sdc_check", sdc_check, "Detection of faulty hardware (silent data corruption).");
    f.optional("prefetch", prefetch, "Prefetching of batches.");
    f.optional("watchdog", watchdog, "Detection of hangs.");
  }
};

}  // namespace meshwright::train
