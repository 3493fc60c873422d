// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/optimizers/adam_family.h"

namespace meshwright::optim {

inline constexpr char kAdamType[] = "adam";
using AdamOptions = AdamFamilyOptions<kAdamType>;
/// Adam. Weight decay is added to the gradient (L2 regularisation).
Transform adam(const AdamOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
