// SPDX-License-Identifier: Apache-2.0
// Programs on meshes of 8 virtual devices, compared with one device.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/shard_spec.h"
#include "meshwright/runtime/client.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::spmd {

using graph::Value;

/// An argument of a test program with its value and how it lies.
struct Input {
  HostTensor value;
  mesh::Sharding sharding;
};

using Body = std::function<std::vector<Value>(std::span<const Value>)>;

/// Numbers in [-1, 1), the same for the same seed; f32.
HostTensor random_array(Dims dims, unsigned seed);

/// Rounds the f32 arrays among them to numbers that bf16 represents exactly. A formula in f32 then
/// gets the very operands of a bf16 kernel: what XLA makes of bf16 itself depends on the processor.
std::vector<Input> rounded_to_bf16(std::vector<Input> inputs);

/// Traces, without running.
graph::Program trace_on(const mesh::Mesh& mesh,
                        const std::vector<Input>& inputs,
                        const Body& body,
                        mesh::AxisRules activations = {});

struct Outcome {
  std::vector<HostTensor> results;  // whole
  runtime::Executable program;
};
Outcome run_on(const mesh::Mesh& mesh,
               const std::vector<Input>& inputs,
               const Body& body,
               mesh::AxisRules activations = {});

/// How many collectives of each kind stand in the optimized program, as "all-reduce 2, all-gather
/// 1"; those of which there are none are left out, and "none" if there are none at all.
std::string collectives_of(const runtime::Executable& program);

/// Fails the test unless all elements differ by at most `tolerance` * (1 + |expected|).
void expect_near(const HostTensor& actual,
                 const HostTensor& expected,
                 double tolerance,
                 const std::string& what);
void expect_all_near(const std::vector<HostTensor>& actual,
                     const std::vector<HostTensor>& expected,
                     double tolerance);
/// Fails the test unless all elements of a result differ by at most `tolerance` times the largest
/// of the expected ones.
void expect_near_the_largest(const std::vector<HostTensor>& actual,
                             const std::vector<HostTensor>& expected,
                             double tolerance);

}  // namespace meshwright::spmd
