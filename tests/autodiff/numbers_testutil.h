// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "meshwright/autodiff/check_grad.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {

/// Compiles for the first device of the test client.
Run compile_for_test(const graph::Program& program);

/// Traces `fn` for these arguments, runs it and returns its results as doubles.
std::vector<std::vector<double>> evaluate(const Function& fn, const std::vector<HostTensor>& args);

/// Runs check_grad on the test client. Returns the error; empty if there is none.
std::string gradient_error(const Function& fn,
                           const std::vector<HostTensor>& point,
                           const CheckGradOptions& options = {});

/// Returns an f64 tensor of fixed irregular numbers between -1 and 1 that depend on `seed`.
HostTensor sample(Dims dims, int seed = 0);

/// Returns the sum of all elements.
Value sum_all(Value x);

}  // namespace meshwright::autodiff
