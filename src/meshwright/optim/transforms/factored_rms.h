// SPDX-License-Identifier: Apache-2.0
// What all kinds of Adafactor have in common: the second moment of a matrix kept as a row and a
// column.
#pragma once

#include <functional>
#include <optional>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// v_row is averaged over `d0` and v_col over `d1`, both increasing lists of dimensions. Which of
/// them is the row differs between the systems, and so does the larger part of their checkpoints.
struct FactoredDims {
  Dims d1, d0;
};
/// Nothing: the whole second moment is kept.
using FactorChoice =
    std::function<std::optional<FactoredDims>(const std::string& path, const ParamSpec& spec)>;

/// The two largest dimensions, if both are at least `min_size`. Among equal ones the last count.
std::optional<FactoredDims> two_largest_dims(const Dims& dims, std::int64_t min_size);

/// Factors each array over its two largest dimensions, as optax does.
FactorChoice factored_by_size(std::int64_t min_size);
/// Keeps whole second moments of all parameters.
FactorChoice not_factored();

struct FactoredRmsOptions {
  FactorChoice factored;
  Schedule decay_rate;  // steps begin with 1
  double eps = 1e-30;   // added to the squared gradients
};
/// Over the root of the moving average of squares. Slots: v_row, v_col and v, of one element where
/// they are not used, as in the systems that this comes from.
Transform scale_by_factored_rms(const FactoredRmsOptions& options);

// Its parts, for optimizers that are no chain.

/// What a slot is that an optimizer of this parameter does not need: one element, as in optax and
/// T5X.
ParamSpec unused_slot(DType dtype);

void add_factored_slots(const std::optional<FactoredDims>& factored,
                        const std::string& path,
                        const ParamSpec& spec,
                        SlotSpecs& slots);
/// The gradient over the root of the second moment, whose new slots are below `at`.
void divide_by_factored_rms(const std::optional<FactoredDims>& factored,
                            const std::string& path,
                            Value decay_rate,
                            double eps,
                            PendingUpdates& updates,
                            const std::string& at);

}  // namespace meshwright::optim
