// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/moment.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {

ValueTree moving_average(const ValueTree& values, const ValueTree& old, double decay) {
  return map(values, old, [decay](Value value, Value average) {
    return (1 - decay) * value + decay * graph::cast(average, value.dtype());
  });
}

ValueTree bias_corrected(const ValueTree& average, double decay, Value number) {
  return map(average, [&](Value x) {
    Value steps = scalar_like(number, x);
    return x / (1.0 - graph::pow(graph::constant(decay, x.dtype()), steps));
  });
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
