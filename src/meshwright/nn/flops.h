// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::nn {

/// A batched matrix product of [m, k] and [k, n], executed `times` times.
struct Product {
  std::int64_t batch = 1, m = 1, k = 1, n = 1;
  DType dtype = DType::f32;  // dtype of the operands
  double times = 1;

  double num_flops() const {
    return 2 * times * static_cast<double>(batch) * static_cast<double>(m) *
           static_cast<double>(k) * static_cast<double>(n);
  }
};

/// Returns all matrix products of a program over all devices. Convolutions are converted to
/// equivalent products. A loop counts once per iteration, or once if the number of iterations is
/// unknown while tracing. A conditional counts its most expensive branch. A manual region counts
/// each distinct shard once, even if several devices compute it.
std::vector<Product> products(const graph::Program& program);

/// Returns the number of multiplications and additions in all matrix products and convolutions of a
/// program, over all devices. Ignores all other ops. Counts loops, conditionals and manual regions
/// as products() does.
double num_flops(const graph::Program& program);

/// Returns the cost of a training step as defined for model FLOPs utilization: three times the
/// forward pass, without recomputation. `forward` traces the forward pass with its own arguments.
double num_training_flops(const std::function<void(graph::Tracer& tracer)>& forward);

}  // namespace meshwright::nn
