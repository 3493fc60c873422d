// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/optim/transforms/slot_dtype.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct MomentumOptions {
  double decay = 0.9;
  bool nesterov = false;
  std::optional<SlotDType> dtype = {};  // of the slot; defaults to the dtype of the update
};
/// Replaces updates with their decayed sums, u + decay * sum. Slot: trace.
Transform momentum(const MomentumOptions& options = {});

}  // namespace meshwright::optim
