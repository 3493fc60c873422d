// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "meshwright/autodiff/function.h"
#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::autodiff {

/// Runs a compiled program once.
using Run = std::function<std::vector<HostTensor>(const std::vector<HostTensor>& args)>;
/// Compiles a program. Passed in because autodiff does not depend on the runtime.
using Compile = std::function<Run(const graph::Program& program)>;

struct CheckGradOptions {
  double step = 1e-3;       // step size of the differences, whose error is of fourth order
  double tolerance = 1e-7;  // on |gradient - difference| / (1 + the larger magnitude)
  int num_directions = 2;   // random directions through all arguments at once
  /// Arguments with at most this many elements are also checked element by element.
  std::int64_t max_elements = 32;
  int order = 1;           // 2 also checks the gradient of the gradient
  std::uint64_t seed = 0;  // seed of the directions and cotangents
  mesh::Mesh mesh = {};    // mesh of the programs
};

/// Compares the gradients of all f64 results of `fn` with respect to all f64 arguments at `point`
/// with central differences. Arguments of other dtypes are held constant. Throws numerics,
/// reporting both numbers, if they differ, and invalid_argument if there is nothing to compare.
void check_grad(const Function& fn,
                const std::vector<HostTensor>& point,
                const Compile& compile,
                const CheckGradOptions& options = {});

}  // namespace meshwright::autodiff
