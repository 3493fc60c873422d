// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/tensor/host_tensor.h"

namespace meshwright::metrics {

/// A histogram. Bucket i covers [limits[i - 1], limits[i]).
struct Histogram {
  double min = 0;  // this and the following statistics cover only finite values
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  double num_nonfinite = 0;
  std::vector<double> limits;  // ascending; the last one is the largest double
  std::vector<double> counts;
};

/// Returns the histogram of all elements with TensorFlow's buckets: each is 10% wider than the
/// previous one, from 1e-12 up, so they suit values of any magnitude. Merges runs of empty buckets.
Histogram histogram(const HostTensor& values);

}  // namespace meshwright::metrics
