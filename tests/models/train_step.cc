// SPDX-License-Identifier: Apache-2.0
#include "models/train_step.h"

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::test_models {
namespace {

using graph::ResultInfo;
using graph::Tracer;

// Returns the sharding without axes that the mesh lacks.
mesh::Sharding on_mesh(const mesh::Mesh& mesh, mesh::Sharding sharding) {
  for (std::vector<std::string>& axes : sharding.dims)
    std::erase_if(axes, [&](const std::string& axis) { return !mesh.find_axis(axis); });
  return sharding;
}

std::vector<Value> param_arguments(Tracer& tracer,
                                   const Model& model,
                                   const std::string& prefix = "",
                                   std::optional<int> donated_from = {}) {
  std::vector<Value> out;
  for (const ParamSpec& spec : model.params) {
    graph::ArgumentInfo info{prefix + spec.name, on_mesh(tracer.mesh(), spec.sharding), {}};
    if (donated_from) info.donated_to = *donated_from + static_cast<int>(out.size());
    out.push_back(tracer.argument({f32, spec.dims}, std::move(info)));
  }
  return out;
}

std::vector<Value> input_arguments(Tracer& tracer, const Model& model) {
  std::vector<Value> out;
  for (const InputSpec& spec : model.inputs) {
    DType dtype = spec.limit > 0 ? s32 : f32;
    out.push_back(tracer.argument({dtype, spec.dims},
                                  {spec.name, on_mesh(tracer.mesh(), spec.sharding), {}}));
  }
  return out;
}

// Adds infos for `copies` results per parameter.
void add_param_infos(std::vector<ResultInfo>& infos,
                     const Model& model,
                     const mesh::Mesh& mesh,
                     int copies) {
  for (int copy = 0; copy < copies; ++copy) {
    for (const ParamSpec& spec : model.params)
      infos.push_back({spec.name, on_mesh(mesh, spec.sharding)});
  }
}

void add_input_infos(std::vector<ResultInfo>& infos, const Model& model, const mesh::Mesh& mesh) {
  for (const InputSpec& spec : model.inputs)
    infos.push_back({spec.name, on_mesh(mesh, spec.sharding)});
}

std::vector<Value> zeros_like(std::span<const Value> values) {
  std::vector<Value> out;
  for (const Value& value : values)
    out.push_back(graph::zeros(value.type()));
  return out;
}

void append(std::vector<Value>& values, const std::vector<Value>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

autodiff::ValueAndGrad differentiate(const Model& model,
                                     std::span<const Value> params,
                                     std::span<const Value> inputs) {
  return autodiff::value_and_grad(
      [&](std::span<const Value> values) {
        return model.loss(Params(model.params, values), inputs);
      },
      params);
}

}  // namespace

graph::Program trace_init(const Model& model, const mesh::Mesh& mesh) {
  Tracer tracer({.mesh = mesh});
  std::vector<Value> results = initial_values(model.params);
  append(results, synthetic_inputs(model.inputs, 0));
  std::vector<ResultInfo> infos;
  add_param_infos(infos, model, mesh, 1);
  add_input_infos(infos, model, mesh);
  return tracer.finish(std::move(results), std::move(infos));
}

graph::Program trace_adamw_init(const Model& model, const mesh::Mesh& mesh) {
  Tracer tracer({.mesh = mesh});
  std::vector<Value> results = initial_values(model.params);
  append(results, zeros_like(results));
  append(results, zeros_like(std::span(results).first(model.params.size())));
  results.push_back(graph::constant(1, f32));
  append(results, synthetic_inputs(model.inputs, 0));
  std::vector<ResultInfo> infos;
  add_param_infos(infos, model, mesh, 3);
  infos.push_back({"step", mesh::Sharding::replicated()});
  add_input_infos(infos, model, mesh);
  return tracer.finish(std::move(results), std::move(infos));
}

graph::Program trace_value_and_grad(const Model& model, const mesh::Mesh& mesh) {
  Tracer tracer({.mesh = mesh});
  std::vector<Value> params = param_arguments(tracer, model);
  std::vector<Value> inputs = input_arguments(tracer, model);
  autodiff::ValueAndGrad out = differentiate(model, params, inputs);
  std::vector<Value> results = {out.value};
  append(results, out.gradients);
  std::vector<ResultInfo> infos = {{"loss", mesh::Sharding::replicated()}};
  add_param_infos(infos, model, mesh, 1);
  return tracer.finish(std::move(results), std::move(infos));
}

graph::Program trace_first_steps(const Model& model, const mesh::Mesh& mesh) {
  Tracer tracer({.mesh = mesh});
  std::vector<Value> params = param_arguments(tracer, model);
  std::vector<Value> inputs = input_arguments(tracer, model);
  autodiff::ValueAndGrad out = differentiate(model, params, inputs);
  AdamState state{params, zeros_like(params), zeros_like(params)};
  AdamState next = adamw(state, out.gradients, graph::constant(1, f32));
  std::vector<Value> results = {out.value};
  append(results, out.gradients);
  append(results, sgd(params, out.gradients));
  for (const std::vector<Value>* part : {&next.params, &next.mu, &next.nu})
    append(results, *part);
  std::vector<ResultInfo> infos = {{"loss", mesh::Sharding::replicated()}};
  add_param_infos(infos, model, mesh, 5);
  return tracer.finish(std::move(results), std::move(infos));
}

graph::Program trace_adamw_step(const Model& model,
                                const AdamWOptions& options,
                                const mesh::Mesh& mesh) {
  Tracer tracer({.mesh = mesh});
  int count = static_cast<int>(model.params.size());
  AdamState state;
  state.params = param_arguments(tracer, model, "", 1);
  state.mu = param_arguments(tracer, model, "mu/", 1 + count);
  state.nu = param_arguments(tracer, model, "nu/", 1 + 2 * count);
  Value step = tracer.argument({f32, {}}, {"step", mesh::Sharding::replicated(), {}});
  std::vector<Value> inputs = input_arguments(tracer, model);
  autodiff::ValueAndGrad out = differentiate(model, state.params, inputs);
  AdamState next = adamw(state, out.gradients, step, options);
  std::vector<Value> results = {out.value};
  for (const std::vector<Value>* part : {&next.params, &next.mu, &next.nu})
    append(results, *part);
  std::vector<ResultInfo> infos = {{"loss", mesh::Sharding::replicated()}};
  add_param_infos(infos, model, mesh, 3);
  return tracer.finish(std::move(results), std::move(infos));
}

}  // namespace meshwright::test_models
