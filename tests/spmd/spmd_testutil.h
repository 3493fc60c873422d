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
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/shard_spec.h"
#include "meshwright/runtime/client.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::spmd {

using graph::Value;

/// The mesh of most tests here.
inline const mesh::Mesh kMesh({{"d", 2}, {"t", 4}});

/// An argument of a test program with its value and sharding.
struct Input {
  HostTensor value;
  mesh::Sharding sharding;
};

using Body = std::function<std::vector<Value>(std::span<const Value>)>;

/// Returns f32 numbers in [-1, 1), determined by the seed.
HostTensor random_array(Dims dims, unsigned seed);

/// Rounds f32 arrays to numbers that bf16 represents exactly, so that a formula in f32 gets the
/// same operands as a bf16 kernel. XLA's own bf16 arithmetic depends on the processor.
std::vector<Input> rounded_to_bf16(std::vector<Input> inputs);

/// Traces without running.
graph::Program trace_on(const mesh::Mesh& mesh,
                        const std::vector<Input>& inputs,
                        const Body& body,
                        mesh::AxisRules activations = {},
                        const graph::ProgramTarget& target = {});

struct Outcome {
  std::vector<HostTensor> results;  // unsharded
  runtime::Executable program;
};
/// Runs on the CPU or, for a target "cuda", on the GPU of runtime::test_gpu().
Outcome run_on(const mesh::Mesh& mesh,
               const std::vector<Input>& inputs,
               const Body& body,
               mesh::AxisRules activations = {},
               const graph::ProgramTarget& target = {});

/// Returns the number of collectives of each kind in the optimized program, as "all-reduce 2,
/// all-gather 1". Kinds that do not occur are omitted; "none" if there are no collectives.
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
/// expected element.
void expect_near_the_largest(const std::vector<HostTensor>& actual,
                             const std::vector<HostTensor>& expected,
                             double tolerance);

}  // namespace meshwright::spmd
