// SPDX-License-Identifier: Apache-2.0
// What the programs of training begin with.
#pragma once

#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {

graph::TraceOptions trace_options(const TrainingSetup& setup);

/// Of a state, each array donated to the result of the same number.
ValueTree state_arguments(graph::Tracer& tracer, const TrainingSetup& setup);
/// Of the state's parameters, not donated.
ValueTree model_arguments(graph::Tracer& tracer, const TrainingSetup& setup);
/// Of a key's data.
Value key_argument(graph::Tracer& tracer);
ValueTree batch_arguments(graph::Tracer& tracer,
                          const BatchSpec& batch,
                          const TrainingSetup& setup);

/// Of one step, and of the next.
struct StepKeys {
  graph::random::Key next;
  graph::random::Key param_noise;
  graph::random::Key forward;
};
StepKeys split_step_key(Value key_data);

}  // namespace meshwright::train
