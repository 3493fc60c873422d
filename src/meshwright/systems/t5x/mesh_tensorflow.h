// SPDX-License-Identifier: Apache-2.0
// T5 models that were trained with Mesh TensorFlow, whose checkpoints T5X imports.
#pragma once

#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::systems {

/// The name of their layout.
inline constexpr const char* kMeshTensorFlow = "mesh_tensorflow";

/// Returns the checkpoint under T5X's names, with the empty slots that its Adafactor has in
/// addition. Values are not changed. Throws invalid_argument, listing them, if arrays are not those
/// of a T5 model.
checkpoint::Stored from_mesh_tensorflow(const checkpoint::Stored& stored);

}  // namespace meshwright::systems
