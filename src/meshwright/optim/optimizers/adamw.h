// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/optimizers/adam_family.h"

namespace meshwright::optim {

inline constexpr char kAdamWType[] = "adamw";
using AdamWOptions = AdamFamilyOptions<kAdamWType>;
/// AdamW. The learning rate multiplies the weight decay too.
Transform adamw(const AdamWOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
