// SPDX-License-Identifier: Apache-2.0
// Factored second moments, shared by all Adafactor variants: one row and one column per matrix.
#pragma once

#include <functional>
#include <optional>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// v_row averages over `d0` and v_col over `d1`, both increasing lists of dimensions. Systems
/// differ in which of the two they call rows.
struct FactoredDims {
  Dims d1, d0;
};
/// Returns the dimensions to factor, or nullopt to keep the whole second moment.
using FactorChoice =
    std::function<std::optional<FactoredDims>(const std::string& path, const ParamSpec& spec)>;

/// Returns the two largest dimensions, or nullopt if one is smaller than `min_size`. Ties go to the
/// last dimensions.
std::optional<FactoredDims> two_largest_dims(const Dims& dims, std::int64_t min_size);

/// Factors each array over its two largest dimensions, as optax does.
FactorChoice factored_by_size(std::int64_t min_size);
/// Keeps whole second moments of all parameters.
FactorChoice not_factored();

struct FactoredRmsOptions {
  FactorChoice factored;
  Schedule decay_rate;  // the first update is step 1
  double eps = 1e-30;   // added to the squared gradients
};
/// Divides updates by the square root of the moving average of their squares. Slots: v_row, v_col
/// and v; unused slots have one element, as in optax and T5X.
Transform scale_by_factored_rms(const FactoredRmsOptions& options);

// Building blocks of this transform, for optimizers that are not a chain.

/// Returns the spec of an unused slot, which has one element.
ParamSpec unused_slot(DType dtype);

void add_factored_slots(const std::optional<FactoredDims>& factored,
                        const std::string& path,
                        const ParamSpec& spec,
                        SlotSpecs& slots);
/// Divides the update by the square root of the second moment and updates the slots under `at`.
void divide_by_factored_rms(const std::optional<FactoredDims>& factored,
                            const std::string& path,
                            Value decay_rate,
                            double eps,
                            PendingUpdates& updates,
                            const std::string& at);

}  // namespace meshwright::optim
