// SPDX-License-Identifier: Apache-2.0
#include "run_updates.h"

#include <algorithm>
#include <cmath>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::optim {
namespace {

std::uint32_t hashed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

mesh::Sharding sharding_of(const ParamSpec& spec, const mesh::AxisRules& rules) {
  std::vector<std::string_view> axes(spec.axes.begin(), spec.axes.end());
  return rules.sharding(axes);
}

// Adds an argument for every leaf.
ValueTree arguments(graph::Tracer& tracer, const ParamSpecs& specs, const Place& place) {
  return map(specs, [&](const std::string& path, const ParamSpec& spec) {
    return tracer.argument(spec.type, {.name = path, .sharding = sharding_of(spec, place.rules)});
  });
}

void add_results(const ParamSpecs& specs,
                 const Place& place,
                 std::vector<graph::ResultInfo>& infos) {
  for_each(specs, [&](const std::string& path, const ParamSpec& spec) {
    infos.push_back({path, sharding_of(spec, place.rules)});
  });
}

struct Step {
  runtime::Executable program;
  std::vector<std::string> summaries;
};

Step compiled_step(const Learner& learner, const Place& place) {
  graph::Tracer tracer({.mesh = place.mesh});
  const ParamSpecs& specs = learner.param_specs();
  ValueTree params = arguments(tracer, specs, place);
  ValueTree state = arguments(tracer, learner.state_specs(), place);
  ValueTree gradients = arguments(tracer, learner.with_gradient(specs), place);
  Learner::Applies applies;
  if (!place.applies) applies = [](Value) { return graph::constant(0, pred); };
  Learner::Updated out = learner.update(gradients, params, state, {}, applies);
  check_same_structure(out.state, learner.state_specs(), "the state", "its specs");
  std::vector<Value> results = leaves(out.params);
  for (Value value : leaves(out.state))
    results.push_back(value);
  std::vector<graph::ResultInfo> infos;
  add_results(specs, place, infos);
  add_results(learner.state_specs(), place, infos);
  std::vector<std::string> names;
  for (const auto& [name, value] : out.summaries) {
    names.push_back(name);
    results.push_back(graph::cast(value, f32));
    infos.push_back({name, mesh::Sharding()});
  }
  return {runtime::test_client().compile(tracer.finish(results, infos),
                                         {.use_kernels = place.use_kernels}),
          names};
}

HostTree initial_state(const Learner& learner, const HostTree& params) {
  graph::Tracer tracer;
  ValueTree state = learner.init(arguments(tracer, learner.param_specs(), {}));
  auto program = runtime::test_client().compile(tracer.finish(leaves(state)));
  return with_leaves(state, run(program, leaves(params)));
}

// Removes the next leaves from the front of a list.
template <typename T>
HostTree taken(const Tree<T>& names, std::vector<HostTensor>& values) {
  auto end = values.begin() + static_cast<std::ptrdiff_t>(names.num_leaves());
  HostTree out = with_leaves(names, std::vector<HostTensor>(values.begin(), end));
  values.erase(values.begin(), end);
  return out;
}

}  // namespace

HostTree random_values(const ParamSpecs& specs, std::uint32_t salt, double deviation) {
  std::uint32_t next = salt * 0x9e3779b9u;
  return map(specs, [&](const ParamSpec& spec) {
    std::vector<float> values(static_cast<std::size_t>(num_elements(spec.type.dims)));
    for (float& value : values) {
      double sum = 0;  // of four uniform numbers: variance 1/3
      for (int i = 0; i < 4; ++i)
        sum += static_cast<double>(hashed(++next)) / 4294967296.0 - 0.5;
      value = static_cast<float>(sum * std::sqrt(3.0) * deviation);
    }
    return HostTensor::from(values, spec.type.dims);
  });
}

Updates run_updates(const Learner& learner,
                    const HostTree& params,
                    const std::vector<HostTree>& gradients,
                    const Place& place) {
  Step step = compiled_step(learner, place);
  Updates out{.params = params, .state = initial_state(learner, params)};
  out.has_call = step.program.optimized_program().find("mw_update") != std::string::npos;
  for (const HostTree& all : gradients) {
    std::vector<HostTensor> args = leaves(out.params);
    for (const HostTree& more : {out.state, learner.with_gradient(all)}) {
      for (HostTensor& tensor : leaves(more))
        args.push_back(tensor);
    }
    std::vector<HostTensor> results = run(step.program, args);
    out.params = taken(learner.param_specs(), results);
    out.state = taken(learner.state_specs(), results);
    out.params_after.push_back(out.params);
    std::map<std::string, double> summaries;
    for (std::size_t i = 0; i < step.summaries.size(); ++i)
      summaries[step.summaries[i]] = results[i].to_doubles().front();
    out.summaries.push_back(std::move(summaries));
  }
  return out;
}

double largest_difference(const HostTree& a, const HostTree& b) {
  double largest = 0;
  std::vector<HostTensor> others = leaves(b);
  std::size_t next = 0;
  for_each(a, [&](const HostTensor& tensor) {
    std::vector<double> x = tensor.to_doubles();
    std::vector<double> y = others[next++].to_doubles();
    for (std::size_t i = 0; i < x.size(); ++i) {
      double difference = std::abs(x[i] - y[i]);
      largest = std::isnan(difference) ? difference : std::max(largest, difference);
    }
  });
  return largest;
}

}  // namespace meshwright::optim
