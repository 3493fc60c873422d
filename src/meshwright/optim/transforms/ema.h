// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <variant>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct UpdateEmaOptions {
  /// The same for all updates, or of the number of the update. As in JAX only the former is rounded
  /// to the dtype of the slot.
  std::variant<double, Schedule> decay;
  bool debias = true;
  /// Of the slot: f32, bf16, or s16 and s8 with a step size for each position beyond the first
  /// dimension. Absent: that of the update.
  std::optional<DType> dtype = f32;
  /// Scalars are kept in the dtype of the update, as in AXLearn; optax makes no exception.
  bool keeps_scalars = true;
};
/// The moving average of the updates. Slots: ema, and scale for the step sizes of integers. Throws
/// invalid_argument for another dtype.
Transform ema(const UpdateEmaOptions& options);

/// optax's average, without bias correction, as its Adafactor and Big Vision's use it for momentum.
Transform optax_ema(double decay, std::optional<DType> dtype);

}  // namespace meshwright::optim
