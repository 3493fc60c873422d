// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/tensor/host_tensor.h"

namespace meshwright::metrics {

/// How often values lie between two limits. Bucket i goes from limits[i - 1] to below limits[i].
struct Histogram {
  double min = 0;  // of the finite values, as are the following
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  double num_nonfinite = 0;
  std::vector<double> limits;  // ascending, the last one is the largest double
  std::vector<double> counts;
};

/// The distribution of all elements. The buckets are TensorFlow's: each 10% wider than the one
/// before, from 1e-12 up, so that they suit values of any size; runs of empty ones are one bucket.
Histogram histogram(const HostTensor& values);

}  // namespace meshwright::metrics
