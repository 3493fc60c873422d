// SPDX-License-Identifier: Apache-2.0
#include "nn_testutil.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::nn {

HostTree drawn_values(const Module& module, int seed, const InitOptions& options) {
  graph::Tracer tracer;
  ValueTree values = initial_values(module, graph::random::key(seed), options);
  auto program = runtime::test_client().compile(tracer.finish(leaves(values)));
  return with_leaves(values, run(program, {}));
}

HostTree made_up_values(const Module& module) {
  int seed = 100;
  return map(param_specs(module), [&](const ParamSpec& spec) {
    auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(spec.type.dims.back())));
    HostTensor value = some_floats(spec.type.dims, ++seed);
    bool is_vector = spec.type.rank() - spec.num_stacked_dims == 1;
    for (float& x : value.mutable_values<float>())
      x = is_vector ? 1 + x / 4 : x * scale;
    return value;
  });
}

std::vector<HostTensor> run_module(const Module& module,
                                   const HostTree& params,
                                   const std::vector<Argument>& args,
                                   const Body& body,
                                   const Place& place) {
  graph::Tracer tracer({.mesh = place.mesh, .dims = {}, .activations = place.activations});
  graph::OutputRuleScope output_rules(place.outputs);
  auto argument = [&](const std::string& name, const HostTensor& value, AxisSpec axes,
                      const mesh::AxisRules& rules) {
    graph::ArgumentInfo info{.name = name, .sharding = {}, .donated_to = {}};
    if (!place.mesh.axes().empty()) info.sharding = rules.sharding(axes);
    return tracer.argument(value.type(), std::move(info));
  };
  ParamSpecs specs = param_specs(module);
  ValueTree values = map(params, [&](const std::string& path, const HostTensor& value) {
    std::string axes = join(specs.at(path).value().axes, " ");
    return argument(path, value, AxisSpec::parse(axes), place.params);
  });
  std::vector<HostTensor> all = leaves(params);
  std::vector<Value> traced;
  for (const Argument& arg : args) {
    traced.push_back(argument("input", arg.value, arg.axes, place.activations));
    all.push_back(arg.value);
  }
  auto program = runtime::test_client().compile(tracer.finish(body(values, traced)),
                                                {.use_kernels = place.use_kernels});
  return run(program, all);
}

HostTensor some_tokens(Dims dims, int limit, int seed) {
  std::mt19937 rng(static_cast<unsigned>(seed));
  std::vector<std::int32_t> out(static_cast<std::size_t>(num_elements(dims)));
  for (std::int32_t& token : out)
    token = static_cast<std::int32_t>(rng() % static_cast<unsigned>(limit));
  return HostTensor::from(out, std::move(dims));
}

HostTensor some_floats(Dims dims, int seed) {
  std::mt19937 rng(static_cast<unsigned>(seed));
  std::uniform_real_distribution<float> uniform_floats(-1.0f, 1.0f);
  std::vector<float> out(static_cast<std::size_t>(num_elements(dims)));
  for (float& number : out)
    number = uniform_floats(rng);
  return HostTensor::from(out, std::move(dims));
}

void expect_close(const std::vector<HostTensor>& a,
                  const std::vector<HostTensor>& b,
                  double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].type(), b[i].type());
    std::vector<double> x = a[i].to_doubles(), y = b[i].to_doubles();
    for (std::size_t j = 0; j < x.size(); ++j) {
      ASSERT_LE(std::abs(x[j] - y[j]), tolerance * (1 + std::abs(y[j])))
          << "array " << i << " element " << j << ": " << x[j] << " and " << y[j];
    }
  }
}

}  // namespace meshwright::nn
