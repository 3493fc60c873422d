// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <variant>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct UpdateEmaOptions {
  /// A constant, or a schedule whose first step is 1. As in JAX, only a constant is rounded to the
  /// dtype of the slot.
  std::variant<double, Schedule> decay;
  bool debias = true;
  /// Storage dtype. s16 and s8 are quantised; elements along the first dimension share a step size.
  /// Defaults to the dtype of the update.
  std::optional<DType> dtype = f32;
  /// Stores scalars in the dtype of the update, as AXLearn does; optax does not.
  bool keeps_scalars = true;
};
/// Replaces updates with their moving averages. Slots: ema and, for integer dtypes, scale (the step
/// sizes). Throws invalid_argument for an unsupported dtype.
Transform ema(const UpdateEmaOptions& options);

/// The momentum of optax's and Big Vision's Adafactor: an average without bias correction.
Transform optax_ema(double decay, std::optional<DType> dtype);

}  // namespace meshwright::optim
