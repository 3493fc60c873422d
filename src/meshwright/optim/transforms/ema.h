// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <variant>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct UpdateEmaOptions {
  /// A constant, or a schedule of the update (the first is 1). As in JAX, only a constant is
  /// rounded to the dtype of the slot.
  std::variant<double, Schedule> decay;
  bool debias = true;
  /// Storage dtype. s16 and s8 are quantised, with one step size per position in all dimensions but
  /// the first. Absent: the dtype of the update.
  std::optional<DType> dtype = f32;
  /// Stores scalars in the dtype of the update, as AXLearn does and optax does not.
  bool keeps_scalars = true;
};
/// A moving average of the updates. Slots: ema; scale (the step sizes) for integer dtypes. Throws
/// invalid_argument for other dtypes.
Transform ema(const UpdateEmaOptions& options);

/// The average without bias correction that is the momentum of optax's and Big Vision's Adafactor.
Transform optax_ema(double decay, std::optional<DType> dtype);

}  // namespace meshwright::optim
