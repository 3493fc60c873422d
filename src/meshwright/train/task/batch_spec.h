// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/data/source.h"
#include "meshwright/mesh/axis_rules.h"

namespace meshwright::train {

using data::BatchSpec;

/// Tree of how the arrays of a batch lie, by the activation rules for the names of their axes.
Tree<mesh::Sharding> batch_shardings(const BatchSpec& spec, const mesh::AxisRules& activations);

}  // namespace meshwright::train
