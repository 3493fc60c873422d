// SPDX-License-Identifier: Apache-2.0
// Estimates of the data that devices send to each other in a step, made without compiling it.
#pragma once

#include <string_view>
#include <vector>

#include "meshwright/estimate/splits.h"
#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::estimate {

enum class Collective { all_gather, reduce_scatter, all_reduce };
std::string_view name(Collective kind);

/// The collectives of one kind along the same mesh axes, on one device.
struct Traffic {
  Collective kind = Collective::all_gather;
  mesh::AxisSet axes;
  double num_calls = 0;
  double received_bytes = 0;
};

/// Returns the collectives of a step. An operand of an op that is split in another way than
/// the op needs it is gathered, once in each region that uses it; sums over split dimensions are
/// reduced. Permutations are left out.
std::vector<Traffic> traffic_of(const graph::Program& program, const Splits& splits);

}  // namespace meshwright::estimate
