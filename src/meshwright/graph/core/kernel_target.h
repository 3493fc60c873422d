// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::graph {

/// Where a program will run, as far as it matters to the choice between kernels and formulas.
struct KernelTarget {
  /// PJRT's name of the platform: "cpu", "cuda", "tpu". Absent while tracing: a traced program is
  /// not tied to a platform.
  std::optional<std::string> platform = {};
  /// False if the user asked for plain XLA (`kernels = "xla"`).
  bool wants_kernels = true;
  mesh::Mesh mesh = {};
  /// The mesh axes that are manual where the op stands.
  mesh::AxisSet manual_axes = {};
  /// The processor that runs the kernels. Absent: this host's.
  std::optional<CpuFeatures> cpu = {};
  /// How a kernel may be split over the mesh: the activation rules, and the declared shardings of
  /// the program's arguments.
  const mesh::AxisRules* rules = nullptr;
  std::span<const ArgumentInfo> arguments = {};
};

}  // namespace meshwright::graph
