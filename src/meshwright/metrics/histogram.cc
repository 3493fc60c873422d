// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace meshwright::metrics {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

std::vector<double> make_limits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1)
    positive.push_back(limit);
  positive.push_back(kLargest);
  std::vector<double> out;
  for (std::size_t i = positive.size(); i > 0; --i)
    out.push_back(-positive[i - 1]);
  out.push_back(0);
  out.insert(out.end(), positive.begin(), positive.end());
  return out;
}

const std::vector<double>& all_limits() {
  static const std::vector<double> limits = make_limits();
  return limits;
}

void add_filled_buckets(const std::vector<double>& counts, Histogram& out) {
  const std::vector<double>& limits = all_limits();
  for (std::size_t i = 0; i < counts.size();) {
    double count = counts[i];
    double limit = limits[i++];
    while (count == 0 && i < counts.size() && counts[i] == 0)
      limit = limits[i++];
    out.limits.push_back(limit);
    out.counts.push_back(count);
  }
}

}  // namespace

Histogram histogram(const HostTensor& values) {
  Histogram out;
  out.min = kLargest;
  out.max = -kLargest;
  const std::vector<double>& limits = all_limits();
  std::vector<double> counts(limits.size());
  for (double value : values.to_doubles()) {
    if (!std::isfinite(value)) {
      ++out.num_nonfinite;
      continue;
    }
    auto above = std::ranges::upper_bound(limits, value);
    // The largest double is not below any limit.
    std::size_t bucket =
        std::min(static_cast<std::size_t>(above - limits.begin()), limits.size() - 1);
    ++counts[bucket];
    ++out.num;
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    out.sum += value;
    out.sum_squares += value * value;
  }
  if (out.num == 0) out.min = out.max = 0;
  add_filled_buckets(counts, out);
  return out;
}

}  // namespace meshwright::metrics
