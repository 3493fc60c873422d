// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::graph {

/// The properties of the target that decide between a kernel and its formula.
struct KernelTarget {
  /// PJRT's platform name: "cpu", "cuda", "tpu". Absent while tracing, since a traced program is
  /// not tied to a platform.
  std::optional<std::string> platform = {};
  /// False if the user asked for plain XLA (`kernels = "xla"`).
  bool wants_kernels = true;
  mesh::Mesh mesh = {};
  /// The mesh axes that are manual at the op.
  mesh::AxisSet manual_axes = {};
  /// The processor that runs the kernels; this host's if absent.
  std::optional<CpuFeatures> cpu = {};
  /// How a kernel may be split over the mesh: the activation rules, and the declared shardings of
  /// the program's arguments.
  const mesh::AxisRules* rules = nullptr;
  std::span<const ArgumentInfo> arguments = {};
};

}  // namespace meshwright::graph
