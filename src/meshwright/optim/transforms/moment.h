// SPDX-License-Identifier: Apache-2.0
// Moving averages shared by several optimizers.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Returns (1 - decay) * values + decay * old in the dtype of the values.
ValueTree moving_average(const ValueTree& values, const ValueTree& old, double decay);
/// Returns 1 - decay^number. Dividing an average that started at zero by this corrects its bias
/// after `number` updates.
Value bias_correction(double decay, Value number, DType dtype);
/// Caches bias corrections, so that parameters share one per dtype.
class BiasCorrections {
 public:
  BiasCorrections(double decay, Value number) : decay_(decay), number_(number) {}
  Value operator()(const ParamSpec& spec);

 private:
  double decay_;
  Value number_;
  std::map<DType, Value> made_;
};
/// Returns `average` with its bias corrected, given that it started at zero and has had `number`
/// updates.
ValueTree bias_corrected(const ValueTree& average, double decay, Value number);
/// Returns the bias-corrected average of Nesterov momentum, which looks one update ahead.
ValueTree nesterov_average(const ValueTree& values,
                           const ValueTree& average,
                           double decay,
                           Value number);
/// Returns the values cast to the dtypes of the slots that they replace.
ValueTree stored_as(const ValueTree& values, const ValueTree& slots);

}  // namespace meshwright::optim
