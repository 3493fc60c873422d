// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct LionMoments {
  double b1 = 0.9;   // of the average whose sign is taken
  double b2 = 0.99;  // of the average that is kept
  std::optional<DType> mu_dtype = {};
};
/// The sign of a moving average. Slot: mu.
Transform scale_by_lion(const LionMoments& options = {});

}  // namespace meshwright::optim
