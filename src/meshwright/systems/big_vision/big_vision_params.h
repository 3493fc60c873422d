// SPDX-License-Identifier: Apache-2.0
// Big Vision's names of the parameters of a ViT. Internal to systems/big_vision.
#pragma once

#include "meshwright/models/vit.h"
#include "meshwright/tensor/foreign_array.h"

namespace meshwright::systems {

/// Returns the names of big_vision/models/vit.py without a scan over layers.
ForeignArrays big_vision_params(const models::VitConfig& config);

}  // namespace meshwright::systems
