// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/loop/preset.h"
#include "meshwright/train/trainer/config.h"

namespace meshwright::train {

/// Replaces every "auto" in the config with the preset's value; explicit settings are unchanged.
void resolve(TrainConfig& config, const Preset& preset);

}  // namespace meshwright::train
