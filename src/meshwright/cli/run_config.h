// SPDX-License-Identifier: Apache-2.0
// What a config of a run says: the parts' own settings, put together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/cli/mesh_config.h"
#include "meshwright/cli/preset.h"
#include "meshwright/cli/task_config.h"
#include "meshwright/config/type_of.h"
#include "meshwright/data/source_config.h"
#include "meshwright/optim/duration_config.h"
#include "meshwright/optim/learner_config.h"
#include "meshwright/train/config.h"
#include "meshwright/train/init_state_config.h"

namespace meshwright::cli {

struct CheckpointConfig {
  config::OrAuto<train::When> when;
  std::string format = "native";
  checkpoint::Retention retention;
  checkpoint::SaveOptions saving;
  train::RestoreConfig restore;

  void fields(auto& f) {
    f.optional("when", when, "at which steps; auto: as the preset, or every 1000 and the last");
    f.optional("format", format, config::one_of(checkpoint::format_names()),
               "whose files: ours, which Orbax reads, or those of another system");
    retention.fields(f);
    saving.fields(f);
    restore.fields(f);
  }
};

struct EvaluatorEntry {
  train::EvaluatorConfig evaluator;
  config::OrAuto<train::When> when;
  data::SourceConfig data;

  void fields(auto& f) {
    evaluator.fields(f);
    f.optional("when", when, "at which steps; auto: as the preset, or every 1000 and the last");
    f.required("data", data, "what it judges on");
  }
};

struct OrderConfig {
  std::optional<std::vector<train::Action>> boundary, start;

  void fields(auto& f) {
    f.optional("boundary", boundary, "what is done between updates, one after the other");
    f.optional("start", start, "the same before the first update; none: as the others");
  }
};

struct RunConfig {
  std::string dir = "runs/default";
  std::int64_t seed = 0;
  config::OrEndless<optim::DurationConfig> max_step;
  TaskConfig task;
  data::SourceConfig data;
  optim::OptimizerConfig optimizer;
  optim::LearnerConfig learner;
  std::map<std::string, EvaluatorEntry> evaluators;
  std::optional<PresetConfig> preset;
  config::OrAuto<train::When> log, summaries;
  CheckpointConfig checkpoint;
  std::optional<train::InitStateConfig> init_state;
  train::TraceConfig trace;
  std::optional<train::EarlyStopping> early_stopping;
  OrderConfig order;
  MeshConfig mesh;
  ShardingConfig sharding;
  std::int64_t num_microbatches = 1;
  std::optional<double> microbatch_clip_norm;
  std::optional<std::string> train_dtype;
  std::vector<train::TrainDTypeRule> train_dtype_rules;
  std::vector<train::InitialValuesConfig> initial_values;
  std::vector<train::ParamNoiseConfig> param_noise;
  bool wandb = false;
  bool log_prefix = false;
  int verbosity = 0;
  std::string kernels = "auto";
  std::optional<double> peak_flops;
  train::NonFiniteConfig non_finite;
  train::SdcCheckConfig sdc_check;
  train::PrefetchConfig prefetch;
  train::WatchdogConfig watchdog;

  void fields(auto& f) {
    f.optional("dir", dir, config::kNonEmpty, "the run's folder");
    f.optional("seed", seed, config::kNotNegative, "of everything random");
    f.optional("max_step", max_step,
               "where training ends, in steps or as a duration; auto or inf: with the data");
    f.required("task", task, "model and loss");
    f.required("data", data, "what is trained on");
    f.required("optimizer", optimizer, "how parameters change");
    f.optional("learner", learner, "which parameters change, and what is kept beside them");
    f.optional("evaluators", evaluators, "judges by name");
    f.optional("preset", preset, "work in the order of another system");
    f.optional("log", log,
               "at which steps metrics are told; auto: as the preset, or every 100 and the last");
    f.optional("log_prefix", log_prefix,
               "lines for people begin with process and step, for logs of many processes");
    f.optional("verbosity", verbosity, config::between(0, 3),
               "more lines for people: 1, what is compiled, restored and not differentiated; 2, "
               "what is done between updates; 3, every update");
    f.optional("summaries", summaries,
               "at which steps metrics are told to files only; auto: as the preset, or at none");
    f.optional("wandb", wandb,
               "an offline run of Weights and Biases too, which `wandb sync` uploads");
    f.optional("checkpoint", checkpoint, "saving");
    f.optional("init_state", init_state,
               "begin with parameters of another run; none: initial values");
    f.optional("trace", trace, "files of what the host did, step by step");
    f.optional("early_stopping", early_stopping, "end where a result gets no better");
    f.optional("order", order, "order of work");
    f.optional("mesh", mesh, "devices and how they are arranged");
    f.optional("sharding", sharding, "what is split over which mesh axes; all else is whole");
    f.optional("num_microbatches", num_microbatches, config::kPositive,
               "parts of a batch that are computed one after the other");
    f.optional("microbatch_clip_norm", microbatch_clip_norm, config::kPositive,
               "global norm of the gradient of each of those parts, at most; of each example where "
               "there are as many parts as examples");
    f.optional("train_dtype", train_dtype, config::one_of({"f32", "bf16"}),
               "of parameters, inputs and computation in the loss; none: as they are");
    f.optional("train_dtype_rules", train_dtype_rules,
               "for some parameters instead; the first that matches counts");
    f.optional("initial_values", initial_values,
               "how parameters are drawn, instead of what the model says; the first that matches "
               "counts");
    f.optional("param_noise", param_noise,
               "added to parameters while the loss is computed; the first that matches counts");
    f.optional("kernels", kernels, config::one_of({"auto", "xla"}),
               "auto: functions of Meshwright where they are faster; xla: only what XLA makes");
    f.optional("peak_flops", peak_flops, config::kPositive,
               "of one device, for MFU; none: by its kind, if that is known")
        .unit("FLOP/s");
    f.optional("non_finite", non_finite, "losses that are not finite");
    f.optional("sdc_check", sdc_check, "looking for faulty hardware (silent data corruption)");
    f.optional("prefetch", prefetch, "making batches ahead of time");
    f.optional("watchdog", watchdog, "reports of hangs");
  }
};

}  // namespace meshwright::cli

namespace meshwright::config {
extern template const Type& type_of<cli::RunConfig>();
}
