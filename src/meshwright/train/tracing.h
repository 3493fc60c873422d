// SPDX-License-Identifier: Apache-2.0
// What the programs of training begin with.
#pragma once

#include "meshwright/graph/tracer.h"
#include "meshwright/train/step_program.h"

namespace meshwright::train {

graph::TraceOptions trace_options(const Setting& setting);

/// Arguments for these arrays; each may be donated to the result of the same number.
ValueTree param_arguments(graph::Tracer& tracer,
                          const ParamSpecs& specs,
                          const Shardings& shardings,
                          bool are_donated);

ValueTree batch_arguments(graph::Tracer& tracer, const BatchSpec& batch, const Setting& setting);

/// Of one step, and of the next.
struct StepKeys {
  graph::random::Key next;
  graph::random::Key param_noise;
  graph::random::Key forward;
};
StepKeys split_step_key(Value key_data);

}  // namespace meshwright::train
