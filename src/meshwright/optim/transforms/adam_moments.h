// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct AdamOptions {
  double b1 = 0.9;
  double b2 = 0.999;
  double eps = 1e-8;    // added to the root
  double eps_root = 0;  // added below the root
  bool nesterov = false;
  std::optional<DType> mu_dtype = {};  // of the stored first moment; absent: that of the update
  std::optional<DType> nu_dtype = {};
};
/// The first moment over the root of the second, both corrected for their start at zero. Slots: mu,
/// nu. Sums are taken in the dtype of the update, whatever the slots are stored in.
Transform scale_by_adam(const AdamOptions& options = {});

}  // namespace meshwright::optim
