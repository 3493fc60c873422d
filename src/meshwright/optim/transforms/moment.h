// SPDX-License-Identifier: Apache-2.0
// Moving averages of updates, as several optimizers keep them.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// (1 - decay) * values + decay * old, in the dtype of the values.
ValueTree moving_average(const ValueTree& values, const ValueTree& old, double decay);
/// What a moving average that began with zeros is divided by after `number` updates.
Value bias_correction(double decay, Value number, DType dtype);
/// The same in the dtype of each parameter's update; parameters share one for each dtype.
class BiasCorrections {
 public:
  BiasCorrections(double decay, Value number) : decay_(decay), number_(number) {}
  Value operator()(const ParamSpec& spec);

 private:
  double decay_;
  Value number_;
  std::map<DType, Value> made_;
};
/// A moving average that began with zeros after `number` updates, corrected for that.
ValueTree bias_corrected(const ValueTree& average, double decay, Value number);
/// The average taken one update further, as Nesterov's momentum looks ahead, and corrected.
ValueTree nesterov_average(const ValueTree& values,
                           const ValueTree& average,
                           double decay,
                           Value number);
/// The values in the dtypes of the slots they replace.
ValueTree stored_as(const ValueTree& values, const ValueTree& slots);

}  // namespace meshwright::optim
