// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "meshwright/graph/program.h"
#include "meshwright/graph/tracer.h"

namespace meshwright::nn {

/// The multiplications and additions of all matrix products and convolutions of a program, over all
/// devices; what else it computes takes little beside them. Loops count as often as they run, where
/// that is known while tracing, else once; of the branches of a condition the dearest. A manual
/// region counts every part: as often as devices differ in it, not where they repeat the same.
double num_flops(const graph::Program& program);

/// What a training step costs, for model FLOPs utilization: three times the forward pass, without
/// what is computed anew to save memory. `forward` traces the pass with arguments of its own.
double num_training_flops(const std::function<void(graph::Tracer& tracer)>& forward);

}  // namespace meshwright::nn
