// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/optim/schedule.h"
#include "meshwright/optim/transform.h"

namespace meshwright::optim {

struct UpdateEmaOptions {
  Schedule decay;  // steps begin with 1
  bool debias = true;
  /// Of the slot: f32, bf16, or s16 and s8 with a step size for each position beyond the first
  /// dimension. Absent: that of the update. Scalars always have that of the update.
  std::optional<DType> dtype = f32;
};
/// The moving average of the updates. Slots: ema, and scale for the step sizes of integers. Throws
/// invalid_argument for another dtype.
Transform ema(const UpdateEmaOptions& options);

}  // namespace meshwright::optim
