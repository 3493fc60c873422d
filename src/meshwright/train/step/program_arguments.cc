// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/program_arguments.h"

#include <utility>
#include <vector>

#include "meshwright/graph/ops/memory_move.h"

namespace meshwright::train {

using graph::Tracer;
using graph::random::Key;

namespace {

ValueTree param_arguments(Tracer& tracer,
                          const ParamSpecs& specs,
                          const Shardings& shardings,
                          const Tree<bool>& is_on_host,
                          bool are_donated) {
  const std::vector<mesh::Sharding> lying = leaves(shardings);
  const std::vector<bool> on_host = leaves(is_on_host);
  int next = 0;
  return map(specs, [&](const std::string& path, const ParamSpec& spec) {
    const auto leaf = static_cast<std::size_t>(next);
    graph::ArgumentInfo info{
        .name = path, .sharding = lying[leaf], .donated_to = {}, .is_on_host = on_host[leaf]};
    if (are_donated) info.donated_to = next;
    ++next;
    Value argument = tracer.argument(spec.type, std::move(info));
    return on_host[leaf] ? graph::to_device(argument) : argument;
  });
}

}  // namespace

graph::TraceOptions trace_options(const TrainingSetup& setup) {
  const Placement& placement = setup.placement;
  return {placement.mesh, setup.task.dims(), placement.activations, placement.target};
}

ValueTree state_arguments(Tracer& tracer, const TrainingSetup& setup) {
  return param_arguments(tracer, setup.layout.specs, setup.layout.shardings,
                         setup.layout.is_on_host, /*are_donated=*/true);
}

ValueTree model_arguments(Tracer& tracer, const TrainingSetup& setup) {
  return param_arguments(tracer, setup.layout.specs.at("model"), setup.layout.shardings.at("model"),
                         setup.layout.is_on_host.at("model"), /*are_donated=*/false);
}

Value key_argument(Tracer& tracer) {
  return tracer.argument({u32, {2}}, {"key", mesh::Sharding::replicated(), {}});
}

ValueTree batch_arguments(Tracer& tracer, const BatchSpec& batch, const TrainingSetup& setup) {
  std::vector<mesh::Sharding> lying = leaves(batch_shardings(batch, setup.placement.activations));
  std::size_t next = 0;
  return map(batch, [&](const std::string& path, const data::ArraySpec& spec) {
    return tracer.argument(spec.type, {"batch/" + path, lying[next++], {}});
  });
}

// In AXLearn's order, so that its runs can be reproduced: next, parameter noise, forward pass,
// learner.
StepKeys split_step_key(Value key_data) {
  std::vector<Key> keys = graph::random::split(graph::random::wrap_key_data(key_data), 4);
  return {keys[0], keys[1], keys[2]};
}

}  // namespace meshwright::train
