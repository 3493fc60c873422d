// SPDX-License-Identifier: Apache-2.0
// What a config of a run says: the parts' own settings, put together.
#pragma once

#include <optional>
#include <string>

#include "meshwright/cli/mesh_config.h"
#include "meshwright/cli/task_config.h"
#include "meshwright/config/type_of.h"
#include "meshwright/data/source_config.h"
#include "meshwright/optim/learner_config.h"
#include "meshwright/train/config.h"
#include "meshwright/train/init_state_config.h"
#include "meshwright/train/presets.h"

namespace meshwright::cli {

struct RunConfig {
  train::TrainConfig train;
  TaskConfig task;
  data::SourceConfig data;
  optim::OptimizerConfig optimizer;
  optim::LearnerConfig learner;
  std::optional<train::PresetConfig> preset;
  std::optional<train::InitStateConfig> init_state;
  MeshConfig mesh;
  ShardingConfig sharding;
  std::string kernels = "auto";

  void fields(auto& f) {
    f.required("task", task, "model and loss");
    f.required("data", data, "what is trained on");
    f.required("optimizer", optimizer, "how parameters change");
    f.optional("learner", learner, "which parameters change, and what is kept beside them");
    f.optional("preset", preset, "work in the order of another system");
    train.fields(f);
    f.optional("init_state", init_state,
               "begin with parameters of another run; none: initial values");
    f.optional("mesh", mesh, "devices and how they are arranged");
    f.optional("sharding", sharding, "what is split over which mesh axes; all else is whole");
    f.optional("kernels", kernels, config::one_of({"auto", "xla"}),
               "auto: functions of Meshwright where they are faster; xla: only what XLA makes");
  }
};

}  // namespace meshwright::cli

namespace meshwright::config {
extern template const Type& type_of<cli::RunConfig>();
}
