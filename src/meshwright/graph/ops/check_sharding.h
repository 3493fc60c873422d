// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/source_loc.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// Calls mesh::check_sharding and adds the location in the model to its error.
mesh::AxisSet check_sharding_at(const mesh::Mesh& mesh,
                                const mesh::Sharding& sharding,
                                SourceLoc loc);

}  // namespace meshwright::graph
