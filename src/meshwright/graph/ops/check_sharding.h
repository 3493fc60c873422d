// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/source_loc.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// As mesh::check_sharding; the error says where in the model the sharding stands.
mesh::AxisSet check_sharding_at(const mesh::Mesh& mesh,
                                const mesh::Sharding& sharding,
                                SourceLoc loc);

}  // namespace meshwright::graph
