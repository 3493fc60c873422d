// SPDX-License-Identifier: Apache-2.0
// The training state of a run as described by its config, for tools that read checkpoints but do
// not train.
#pragma once

#include <cstdint>
#include <memory>

#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/nn/module.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/tensor/param_spec.h"
#include "meshwright/train/foreign/foreign_system.h"

namespace meshwright::cli {

struct ConfiguredState {
  std::unique_ptr<nn::Module> model;
  optim::LearnerOptions learner;
  ParamSpecs arrays;  // named as in train/step/state.h
  std::int64_t seed = 0;
};

/// Returns the state that the config describes, without a task or devices. Throws the
/// invalid_argument errors of make_job().
ConfiguredState configured_state(const RunConfig& config);

/// Returns the names and layouts that a system uses for that state. Empty if the system has no such
/// model.
checkpoint::ForeignLayout layout_of(const ConfiguredState& state,
                                    const train::ForeignSystem& system);

}  // namespace meshwright::cli
