// SPDX-License-Identifier: Apache-2.0
// Big Vision's names of the slots of its optimizers. Internal to systems/big_vision.
#pragma once

#include "meshwright/models/vit.h"
#include "meshwright/tensor/foreign_array.h"
#include "meshwright/train/foreign/foreign_system.h"

namespace meshwright::systems {

/// Implements ForeignSystem::state(): parameters in `params` and, for optimizers of type
/// "big_vision", slots in `opt`, under the numbers that optax gives to the elements of a chain.
ForeignArrays big_vision_state(const models::VitConfig& config, const train::StateToName& state);

}  // namespace meshwright::systems
