// SPDX-License-Identifier: Apache-2.0
#include "spmd_testutil.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "meshwright/pjrt/hlo_module.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::spmd {

HostTensor random_array(Dims dims, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(static_cast<std::size_t>(num_elements(dims)));
  for (float& value : values)
    value = uniform(rng);
  return HostTensor::from(values, std::move(dims));
}

std::vector<Input> rounded_to_bf16(std::vector<Input> inputs) {
  for (Input& input : inputs) {
    if (input.value.dtype() != f32) continue;
    for (float& number : input.value.mutable_values<float>())
      number = static_cast<float>(BFloat16(number));
  }
  return inputs;
}

graph::Program trace_on(const mesh::Mesh& mesh,
                        const std::vector<Input>& inputs,
                        const Body& body,
                        mesh::AxisRules activations,
                        const graph::ProgramTarget& target) {
  graph::Tracer tracer({.mesh = mesh, .activations = std::move(activations), .target = target});
  std::vector<Value> args;
  for (const Input& input : inputs) {
    graph::ArgumentInfo info{.name = str("arg", args.size())};
    if (!mesh.axes().empty()) info.sharding = input.sharding;
    args.push_back(tracer.argument(input.value.type(), std::move(info)));
  }
  return tracer.finish(body(args));
}

Outcome run_on(const mesh::Mesh& mesh,
               const std::vector<Input>& inputs,
               const Body& body,
               mesh::AxisRules activations,
               const graph::ProgramTarget& target) {
  const runtime::Client& client =
      target.platform == "cuda" ? *runtime::test_gpu() : runtime::test_client();
  runtime::Executable program =
      client.compile(trace_on(mesh, inputs, body, std::move(activations), target),
                     {.use_kernels = target.wants_kernels});
  std::vector<HostTensor> values;
  for (const Input& input : inputs)
    values.push_back(input.value);
  return {run(program, values), program};
}

std::string collectives_of(const runtime::Executable& program) {
  std::string out;
  for (const std::string_view op : pjrt::kCollectives) {
    if (int count = count_ops(program, op); count > 0)
      out += str(out.empty() ? "" : ", ", op, " ", count);
  }
  return out.empty() ? "none" : out;
}

void expect_near(const HostTensor& actual,
                 const HostTensor& expected,
                 double tolerance,
                 const std::string& what) {
  ASSERT_EQ(actual.type(), expected.type()) << what;
  std::vector<double> a = actual.to_doubles(), b = expected.to_doubles();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_LE(std::abs(a[i] - b[i]), tolerance * (1 + std::abs(b[i])))
        << what << ": element " << i << " is " << a[i] << " instead of " << b[i];
  }
}

void expect_all_near(const std::vector<HostTensor>& actual,
                     const std::vector<HostTensor>& expected,
                     double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    expect_near(actual[i], expected[i], tolerance, str("result ", i));
}

// Bounds the largest element from below: a sum that is exactly zero may round to something else.
constexpr double kRounding = 1e-4;

void expect_near_the_largest(const std::vector<HostTensor>& actual,
                             const std::vector<HostTensor>& expected,
                             double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const std::vector<double> a = actual[i].to_doubles(), b = expected[i].to_doubles();
    double largest = kRounding;
    for (double number : b)
      largest = std::max(largest, std::abs(number));
    for (std::size_t j = 0; j < a.size(); ++j)
      ASSERT_NEAR(a[j], b[j], tolerance * largest) << "result " << i << ", element " << j;
  }
}

}  // namespace meshwright::spmd
