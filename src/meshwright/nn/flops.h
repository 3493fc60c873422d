// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::nn {

/// `times` products of [m, k] and [k, n] for each of `batch`.
struct Product {
  std::int64_t batch = 1, m = 1, k = 1, n = 1;
  DType dtype = DType::f32;  // of the operands
  double times = 1;

  double num_flops() const {
    return 2 * times * static_cast<double>(batch) * static_cast<double>(m) *
           static_cast<double>(k) * static_cast<double>(n);
  }
};

/// All matrix products of a program, over all devices, and convolutions as the products they are
/// made of. Loops count as often as they run, where that is known while tracing, else once; of the
/// branches of a condition the dearest. A manual region counts every part: as often as devices
/// differ in it, not where they repeat the same.
std::vector<Product> products(const graph::Program& program);

/// The multiplications and additions of all matrix products and convolutions of a program, over all
/// devices; what else it computes takes little beside them. Counted as in products().
double num_flops(const graph::Program& program);

/// What a training step costs, for model FLOPs utilization: three times the forward pass, without
/// what is computed anew to save memory. `forward` traces the pass with arguments of its own.
double num_training_flops(const std::function<void(graph::Tracer& tracer)>& forward);

}  // namespace meshwright::nn
