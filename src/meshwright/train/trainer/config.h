// SPDX-License-Identifier: Apache-2.0
// Settings of a run that the trainer owns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/pattern.h"
#include "meshwright/data/prefetcher.h"
#include "meshwright/nn/init_config.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/health/non_finite_guard.h"
#include "meshwright/train/health/update_check.h"
#include "meshwright/train/health/watchdog.h"
#include "meshwright/train/loop/agenda.h"
#include "meshwright/train/report/sink_config.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/checkpoint_config.h"

namespace meshwright::train {

struct PrefetchConfig {
  data::PrefetchOptions batches;
  /// Continue a resumed run with the next batch. False: start over with the first.
  bool resume = true;
  /// Allow resuming with data other than the checkpoint was made with.
  bool allow_other_data = false;

  void fields(auto& f) {
    batches.fields(f);
    f.optional(
        "resume", resume,
        "Continue with the next batch when resuming. `false`: start over with the first one.");
    f.optional("allow_other_data", allow_other_data,
               "Allow resuming with data other than the checkpoint was made with.");
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

/// Normal noise added to parameters in the training loss.
struct ParamNoiseConfig {
  std::string pattern;
  double stddev = 0;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern,
               "Pattern that must match the whole path of a parameter.");
    f.required("stddev", stddev, config::kNotNegative, "Standard deviation.");
  }
};

/// Overrides train_dtype.
struct TrainDTypeRule {
  std::string pattern;
  std::optional<std::string> dtype;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern,
               "Pattern that must match the whole path of a parameter.");
    f.required("dtype", dtype, config::one_of({"f32", "bf16"}),
               "Dtype for training. `none`: the dtype they are stored in.");
  }
};

struct TrainConfig {
  std::string dir = "runs/default";
  std::int64_t seed = 0;
  config::OrEndless<optim::DurationConfig> max_step;  // absent: until the data is exhausted
  std::map<std::string, EvaluatorConfig> evaluators;
  LoopConfig loop;
  CheckpointConfig checkpoint;
  std::int64_t num_microbatches = 1;
  std::optional<double> microbatch_clip_norm;
  std::optional<std::string> train_dtype;  // "f32" or "bf16"; absent: the dtype of the parameters
  // In each of these lists the first match counts.
  std::vector<TrainDTypeRule> train_dtype_rules;
  std::vector<InitialValuesConfig> initial_values;
  std::vector<ParamNoiseConfig> param_noise;
  SinkConfigs sinks = default_sinks();
  bool log_prefix = false;           // prefix console lines with process and step
  int verbosity = 0;                 // see base/verbosity.h
  std::optional<double> peak_flops;  // of one device; absent: by the kind of device, if known
  NonFiniteConfig non_finite;
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
    f.optional(
        "num_microbatches", num_microbatches, config::kPositive,
        "Number of microbatches a batch is split into, which are computed one after the other.");
    f.optional("microbatch_clip_norm", microbatch_clip_norm, config::kPositive,
               "Upper bound on the global gradient norm of each microbatch. With as many "
               "microbatches as examples, this clips the gradient of each example.");
    f.optional("train_dtype", train_dtype, config::one_of({"f32", "bf16"}),
               "Dtype of parameters, inputs and computation in the loss. `none`: do not cast.");
    f.optional("train_dtype_rules", train_dtype_rules,
               "Exceptions to train_dtype by parameter path. The first match counts.");
    f.optional("initial_values", initial_values,
               "Initial values by parameter path, instead of those the model declares. The first "
               "match counts.");
    f.optional("param_noise", param_noise,
               "Noise added to parameters while the loss is computed. The first match counts.");
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
    f.optional("non_finite", non_finite, "Handling of losses and gradients that are not finite.");
    f.optional("sdc_check", sdc_check, "Detection of faulty hardware (silent data corruption).");
    f.optional("prefetch", prefetch, "Making batches ahead of time.");
    f.optional("watchdog", watchdog, "Detection of hangs.");
  }
};

}  // namespace meshwright::train
