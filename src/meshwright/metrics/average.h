// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// The mean of many values, each counting as much as its weight.
class WeightedMean {
 public:
  /// A value with weight 0 changes nothing, whatever it is: what padding gives may be NaN.
  void add(WeightedScalar value) {
    if (value.weight == 0) return;
    sum_ += value.mean * value.weight;
    weight_ += value.weight;
  }
  void add(double mean, double weight = 1) { add(WeightedScalar{mean, weight}); }
  /// The mean is 0 if nothing was added; the weight tells.
  WeightedScalar value() const { return {weight_ == 0 ? 0 : sum_ / weight_, weight_}; }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

/// The weighted means of numbers by name, over the batches of an evaluation or the steps of an
/// interval.
class Averages {
 public:
  void add(std::string_view name, double mean, double weight = 1) {
    means_[std::string(name)].add(mean, weight);
  }
  /// Adds the scalars among `entries`, plain ones with weight 1; leaves out all else.
  void add(const std::vector<Entry>& entries);

  bool empty() const { return means_.empty(); }
  /// Throws not_found.
  WeightedScalar at(std::string_view name) const;
  /// In order of their names.
  std::vector<Entry> entries() const;
  void clear() { means_.clear(); }

 private:
  std::map<std::string, WeightedMean, std::less<>> means_;
};

}  // namespace meshwright::metrics
