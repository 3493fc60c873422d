// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// A weighted mean.
class WeightedMean {
 public:
  /// Adds a value. Ignores values with weight 0, since padding may yield NaN.
  void add(WeightedScalar value) {
    if (value.weight == 0) return;
    sum_ += value.mean * value.weight;
    weight_ += value.weight;
  }
  void add(double mean, double weight = 1) { add(WeightedScalar{mean, weight}); }
  /// Returns mean 0 with weight 0 if nothing was added.
  WeightedScalar value() const { return {weight_ == 0 ? 0 : sum_ / weight_, weight_}; }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

/// Weighted means by name, over the batches of an evaluation or the steps of an interval.
class Averages {
 public:
  void add(std::string_view name, double mean, double weight = 1) {
    means_[std::string(name)].add(mean, weight);
  }
  /// Adds the scalars among `entries`, with weight 1 if they have none. Ignores all other entries.
  void add(const std::vector<Entry>& entries);

  bool empty() const { return means_.empty(); }
  /// Returns the mean of this name. Throws not_found if there is none.
  WeightedScalar at(std::string_view name) const;
  /// Returns the means ordered by name.
  std::vector<Entry> entries() const;
  void clear() { means_.clear(); }

 private:
  std::map<std::string, WeightedMean, std::less<>> means_;
};

}  // namespace meshwright::metrics
