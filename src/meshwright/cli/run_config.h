// SPDX-License-Identifier: Apache-2.0
// The config of a run: the settings of its parts.
#pragma once

#include <optional>
#include <string>

#include "meshwright/cli/mesh_config.h"
#include "meshwright/cli/preset_config.h"
#include "meshwright/cli/task_config.h"
#include "meshwright/config/type_of.h"
#include "meshwright/data/config/source_config.h"
#include "meshwright/optim/learner/learner_config.h"
#include "meshwright/train/restore/init_state_config.h"
#include "meshwright/train/trainer/config.h"

namespace meshwright::cli {

struct RunConfig {
  train::TrainConfig train;
  TaskConfig task;
  data::SourceConfig data;
  optim::OptimizerConfig optimizer;
  optim::LearnerConfig learner;
  std::optional<PresetConfig> preset;
  std::optional<train::InitStateConfig> init_state;
  MeshConfig mesh;
  ShardingConfig sharding;
  std::string kernels = "auto";

  void fields(auto& f) {
    f.required("task", task, "Model and loss.");
    f.required("data", data, "Training data.");
    f.required("optimizer", optimizer, "Optimizer and its hyperparameters.");
    f.optional("learner", learner, "Parameters to train, and moving averages to keep.");
    f.optional("preset", preset, "Run evaluations, saves and logs in the order of another system.");
    train.fields(f);
    f.optional("init_state", init_state,
               "Start from the parameters of another run. `none`: initial values.");
    f.optional("mesh", mesh, "Devices and their arrangement.");
    f.optional("sharding", sharding,
               "Which mesh axes split which array axes. Axes without a rule are replicated.");
    f.optional("kernels", kernels, config::one_of({"auto", "xla"}),
               "`auto`: use Meshwright's CPU kernels where they apply. `xla`: let XLA compile "
               "everything.");
  }
};

}  // namespace meshwright::cli

namespace meshwright::config {
extern template const Type& type_of<cli::RunConfig>();
}
