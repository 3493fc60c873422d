// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/loop/preset.h"
#include "meshwright/train/trainer/config.h"

namespace meshwright::train {

/// Replaces every "auto" in the config by what the preset says; explicit settings stay.
void resolve(TrainConfig& config, const Preset& preset);

}  // namespace meshwright::train
