// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::graph {

/// The properties of the target that determine whether a kernel or its formula is used.
struct KernelTarget {
  /// PJRT's name of the platform, such as "cpu", "cuda" or "tpu". Absent while tracing, since a
  /// traced program is not tied to a platform.
  std::optional<std::string> platform = {};
  /// False if the user asked for plain XLA (`kernels = "xla"`).
  bool wants_kernels = true;
  mesh::Mesh mesh = {};
  /// The mesh axes that are manual at the op.
  mesh::AxisSet manual_axes = {};
  /// Features of the processor that runs the kernels. Defaults to those of this host's
  /// processor.
  std::optional<CpuFeatures> cpu = {};
  /// The activation rules and the declared shardings of the program's arguments. They determine how
  /// a kernel may be split over the mesh.
  const mesh::AxisRules* rules = nullptr;
  std::span<const ArgumentInfo> arguments = {};
};

}  // namespace meshwright::graph
