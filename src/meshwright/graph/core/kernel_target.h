// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::graph {

/// The properties of the target that determine whether a kernel or its formula is used.
struct KernelTarget {
  ProgramTarget program = {};
  mesh::Mesh mesh = {};
  /// The mesh axes that are manual at the op.
  mesh::AxisSet manual_axes = {};
  /// The activation rules and the declared shardings of the program's arguments. They determine how
  /// a kernel may be split over the mesh.
  const mesh::AxisRules* rules = nullptr;
  std::span<const ArgumentInfo> arguments = {};
};

}  // namespace meshwright::graph
