// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/moment.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

ValueTree moving_average(const ValueTree& values, const ValueTree& old, double decay) {
  return map(values, old, [decay](Value value, Value average) {
    return (1 - decay) * value +
           kernels::decay_of_slot(decay, average.dtype()) * graph::cast(average, value.dtype());
  });
}

Value bias_correction(double decay, Value number, DType dtype) {
  return 1.0 - graph::pow(graph::constant(decay, dtype), graph::cast(number, dtype));
}

Value BiasCorrections::operator()(const ParamSpec& spec) {
  const DType dtype = update_dtype(spec.type.dtype);
  Value& made = made_[dtype];
  if (made.is_null()) made = bias_correction(decay_, number_, dtype);
  return made;
}

ValueTree bias_corrected(const ValueTree& average, double decay, Value number) {
  return map(average, [&](Value x) { return x / bias_correction(decay, number, x.dtype()); });
}

ValueTree nesterov_average(const ValueTree& values,
                           const ValueTree& average,
                           double decay,
                           Value number) {
  return moving_average(bias_corrected(values, decay, number),
                        bias_corrected(average, decay, number + 1.0), decay);
}

ValueTree stored_as(const ValueTree& values, const ValueTree& slots) {
  return map(values, slots,
             [](Value value, Value slot) { return graph::cast(value, slot.dtype()); });
}

}  // namespace meshwright::optim
