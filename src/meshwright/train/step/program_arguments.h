// SPDX-License-Identifier: Apache-2.0
// Arguments of the training programs.
#pragma once

#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {

graph::TraceOptions trace_options(const TrainingSetup& setup);

/// Adds the leaves of the state as arguments, each donated to the result with the same index, and
/// returns them on the device.
ValueTree state_arguments(graph::Tracer& tracer, const TrainingSetup& setup);
/// Adds the parameters as arguments, not donated.
ValueTree model_arguments(graph::Tracer& tracer, const TrainingSetup& setup);
/// Adds the data of a random key as an argument.
Value key_argument(graph::Tracer& tracer);
ValueTree batch_arguments(graph::Tracer& tracer,
                          const BatchSpec& batch,
                          const TrainingSetup& setup);

/// Random keys of one step, and the key of the next step.
struct StepKeys {
  graph::random::Key next;
  graph::random::Key param_noise;
  graph::random::Key forward;
};
StepKeys split_step_key(Value key_data);

}  // namespace meshwright::train
