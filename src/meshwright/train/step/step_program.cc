// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/step_program.h"

#include <algorithm>
#include <utility>

#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/memory_move.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/nn/flops.h"
#include "meshwright/train/step/loss_and_gradients.h"
#include "meshwright/train/step/program_arguments.h"

namespace meshwright::train {
namespace {

using graph::cast;
using graph::ResultInfo;
using graph::Tracer;
using graph::random::Key;

std::vector<ResultInfo> state_results(const StateLayout& layout) {
  const std::vector<bool> on_host = leaves(layout.is_on_host);
  std::vector<ResultInfo> out;
  for (const auto& [path, sharding] : flatten(layout.shardings))
    out.push_back({path, sharding, on_host[out.size()]});
  return out;
}

// Returns the leaves, each in the memory in which the state lies between steps.
std::vector<Value> in_their_memory(const ValueTree& state, const StateLayout& layout) {
  const std::vector<bool> on_host = leaves(layout.is_on_host);
  std::vector<Value> out = leaves(state);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (on_host[i]) out[i] = graph::to_host(out[i]);
  return out;
}

// Collects scalars in one vector, so that one transfer fetches them.
class MetricVector {
 public:
  void add(const std::string& name, Value x) {
    names_.push_back(name);
    values_.push_back(graph::reshape(cast(x, f32), {1}));
  }
  Value value() const { return graph::concatenate(values_, 0); }
  std::vector<std::string> names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::vector<Value> values_;
};

// The norm, the check and the loops of the update each read the gradients. Without barriers the
// compiler duplicates cheap producers, such as casts or stacking the layers, into every reader,
// which takes longer to compile.
ValueTree made_once(const ValueTree& gradients) {
  return map(gradients, [](Value g) { return graph::optimization_barrier(g); });
}

struct Step {
  ValueTree state;
  MetricVector metrics;
  std::map<std::string, Value> histograms;
};

Step make_step(const TrainingSetup& setup,
               const ValueTree& state,
               const ValueTree& batch,
               const StepOptions& options) {
  Value key_data = state.at("prng_key").value();
  StepKeys keys = split_step_key(key_data);
  const ValueTree& params = state.at("model");
  const NoisyInput input{{params, batch, keys.forward, /*is_training=*/true}, keys.param_noise};
  LossAndGradients found = loss_and_gradients(setup, input, options);
  found.gradients = made_once(found.gradients);
  Value skipped_before = state.at("num_skipped").value();
  const bool halts = options.non_finite.action != OnNonFinite::skip;
  auto applies_to = [&](Value gradient_norm) {
    // The norm is computed anyway, unlike a reduction of booleans. It overflows at 2e19.
    Value finite =
        graph::logical_and(graph::is_finite(found.loss.loss.mean), graph::is_finite(gradient_norm));
    if (halts) finite = graph::logical_and(finite, graph::equal(skipped_before, 0));
    // Otherwise the compiler would recompute it from all sums in every loop of the update.
    return graph::optimization_barrier(finite);
  };
  optim::Learner::Updated updated = setup.learner.update(
      found.gradients, params, state.at("learner"), found.loss.state_updates, applies_to);
  Value applies = updated.applied;
  Value skipped =
      skipped_before + graph::where(applies, graph::constant(0, s32), graph::constant(1, s32));
  Step out;
  // A halted state keeps its key, so that its step can be computed again.
  Value next_key = graph::random::key_data(keys.next);
  out.state["prng_key"] = halts ? graph::where(applies, next_key, key_data) : next_key;
  out.state["model"] = std::move(updated.params);
  out.state["learner"] = std::move(updated.state);
  out.state["num_skipped"] = skipped;
  out.metrics.add("loss", found.loss.loss.mean);
  out.metrics.add("loss_weight", found.loss.loss.weight);
  out.metrics.add("num_skipped", skipped);
  for (const auto& [name, metric] : found.loss.metrics)
    out.metrics.add(name, metric.mean);
  for (const auto& [name, value] : updated.summaries)
    out.metrics.add(name, value);
  out.histograms = std::move(found.loss.histograms);
  return out;
}

// Returns the sharding of rows, which differ by process.
mesh::Sharding rows_of_processes(Value x) {
  mesh::Sharding out;
  const mesh::Mesh& mesh = Tracer::current().mesh();
  for (int axis : mesh::positions(x.type().varying)) {
    out.dims.resize(1);
    out.dims[0].push_back(mesh.axes()[static_cast<std::size_t>(axis)].name);
  }
  return out;
}

void add_outputs(const ValueTree& outputs,
                 std::vector<Value>& results,
                 std::vector<ResultInfo>& infos) {
  for_each(outputs, [&](const std::string& path, Value x) {
    results.push_back(x);
    infos.push_back({path, rows_of_processes(x)});
  });
}

}  // namespace

TrainingSetup::TrainingSetup(const Task& its_task,
                             const optim::LearnerOptions& options,
                             const Placement& its_placement,
                             nn::InitRules rules)
    : task(its_task),
      learner(options, task.param_specs()),
      placement(its_placement),
      layout(state_layout(task.param_specs(), learner, placement)),
      init_rules(std::move(rules)) {}

graph::Program trace_init(const TrainingSetup& setup, const std::vector<std::string>& prebuilt) {
  Tracer tracer(trace_options(setup));
  Value key_data = key_argument(tracer);
  std::vector<Key> keys = graph::random::split(graph::random::wrap_key_data(key_data));
  // Keys are drawn for all arrays, so that initial values do not depend on which ones are prebuilt.
  ValueTree state;
  state["prng_key"] = graph::random::key_data(keys[0]);
  state["model"] = setup.task.init(keys[1], setup.init_rules);
  ValueTree given;
  for (const std::string& path : prebuilt) {
    const ParamSpec& spec = setup.layout.specs.at(path).value();
    mesh::Sharding sharding = setup.layout.shardings.at(path).value();
    given[path] = tracer.argument(spec.type, {path, sharding, {}});
  }
  auto replace = [&](const std::string& path, Value value) { state.at(path) = value; };
  if (const ValueTree* params = given.find("model")) for_each(*params, replace, "model");
  state["learner"] = setup.learner.init(state.at("model"));
  state["num_skipped"] = graph::constant(0, s32);
  for_each(given, replace);
  check_same_structure(state, setup.layout.specs, "the initial state", "its specs");
  return tracer.finish(in_their_memory(state, setup.layout), state_results(setup.layout));
}

StepProgram trace_step(const TrainingSetup& setup,
                       const BatchSpec& batch_spec,
                       const StepOptions& options) {
  Tracer tracer(trace_options(setup));
  const graph::OutputRuleScope output_rules(setup.placement.outputs);
  ValueTree state = state_arguments(tracer, setup);
  ValueTree batch = batch_arguments(tracer, batch_spec, setup);
  Step step = make_step(setup, state, batch, options);
  check_same_structure(step.state, state, "the next state", "the state");
  std::vector<Value> results = in_their_memory(step.state, setup.layout);
  std::vector<ResultInfo> infos = state_results(setup.layout);
  results.push_back(step.metrics.value());
  infos.push_back({"metrics", mesh::Sharding::replicated()});
  std::vector<std::string> histogram_names;
  for (const auto& [name, value] : step.histograms) {
    results.push_back(value);
    infos.push_back({name, mesh::Sharding::replicated()});
    histogram_names.push_back(name);
  }
  StepProgram out{tracer.finish(std::move(results), std::move(infos)), step.metrics.names(),
                  std::move(histogram_names)};
  for (std::string& warning : output_rules.warnings())
    out.program.warnings.push_back(std::move(warning));
  return out;
}

graph::Program without_donation(graph::Program program) {
  for (graph::ArgumentInfo& argument : program.arguments)
    argument.donated_to.reset();
  return program;
}

double num_step_flops(const TrainingSetup& setup, const BatchSpec& batch_spec) {
  constexpr double kWithBackwardPass = 3;
  Tracer tracer(trace_options(setup));
  ValueTree params = model_arguments(tracer, setup);
  ValueTree batch = batch_arguments(tracer, batch_spec, setup);
  Value key_data = key_argument(tracer);
  setup.task.loss({params, batch, graph::random::wrap_key_data(key_data), /*is_training=*/true});
  return kWithBackwardPass * nn::num_flops(tracer.finish({}));
}

EvalProgram trace_eval(const TrainingSetup& setup,
                       const BatchSpec& batch_spec,
                       const EvalMethod& method,
                       std::optional<DType> dtype) {
  Tracer tracer(trace_options(setup));
  ValueTree params = model_arguments(tracer, setup);
  ValueTree batch = batch_arguments(tracer, batch_spec, setup);
  Value key_data = key_argument(tracer);
  params = cast_floats(params, dtype);
  batch = cast_inputs(batch, dtype);
  EvalOutput out = method.run(
      {params, batch, graph::random::wrap_key_data(key_data), /*is_training=*/false, dtype});
  MW_CHECK(!out.metrics.empty(), "an evaluation method of task '", setup.task.name(),
           "' returns no metrics");
  MetricVector vector;
  EvalProgram program;
  for (const auto& [name, metric] : out.metrics) {
    vector.add(name, metric.mean);
    vector.add(name, metric.weight);
    program.metric_names.push_back(name);
  }
  std::vector<Value> results = {vector.value()};
  std::vector<ResultInfo> infos = {{"metrics", mesh::Sharding::replicated()}};
  add_outputs(out.outputs, results, infos);
  program.outputs = map(out.outputs, [](Value x) { return x.type().array(); });
  program.program = tracer.finish(std::move(results), std::move(infos));
  return program;
}

}  // namespace meshwright::train
