// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/data/core/source.h"
#include "meshwright/mesh/axis_rules.h"

namespace meshwright::train {

using data::BatchSpec;

/// Returns the shardings of a batch's arrays according to the activation rules for their axis
/// names.
Tree<mesh::Sharding> batch_shardings(const BatchSpec& spec, const mesh::AxisRules& activations);

}  // namespace meshwright::train
