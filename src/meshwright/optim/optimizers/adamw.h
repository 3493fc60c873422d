// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/optimizers/adam_family.h"

namespace meshwright::optim {

inline constexpr char kAdamWType[] = "adamw";
using AdamWOptions = AdamFamilyOptions<kAdamWType>;
/// AdamW. The learning rate also multiplies the weight decay.
Transform adamw(const AdamWOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
