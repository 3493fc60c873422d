// SPDX-License-Identifier: Apache-2.0
// Regions in which every device works on its own part and talks to others by collectives.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/shard_type.h"
#include "meshwright/mesh/shard_spec.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

struct ManualAttrs {
  mesh::AxisSet axes;               // manual in the body
  std::vector<mesh::Sharding> in;   // one per operand; over manual axes only
  std::vector<mesh::Sharding> out;  // one per result
};
/// sdy: manual_computation. attrs: ManualAttrs. The operands are the arguments of the body.
extern const OpDef kManual;

inline constexpr std::array kManualOps = {&kManual};

struct ManualInput {
  Value value;           // a whole array
  mesh::ShardSpec spec;  // how it is cut
};

struct ManualOptions {
  /// The mesh axes that become manual; empty: all of the mesh. Along the others the body is
  /// partitioned automatically.
  std::vector<std::string> axes = {};
};

/// The parts that this device has of the inputs; returns the parts of the results.
using ManualBody = std::function<std::vector<Value>(std::span<const Value> parts)>;

/// Runs `body` on every device with its parts:
///   manual({{x, "batch/d embed"}, {w, "embed hidden/t"}}, {"batch/d hidden/t"}, body)
/// Names have one size in the scope around the region, that of the whole array. Other values that
/// the body uses come in as their declared part and are gathered. A result varies only over axes
/// its spec names; differing values under a spec that calls them equal are an error. Throws
/// invalid_argument if a dimension does not divide, and for mesh axes that are manual already.
std::vector<Value> manual(const std::vector<ManualInput>& inputs,
                          const std::vector<mesh::ShardSpec>& outputs,
                          const ManualBody& body,
                          const ManualOptions& options = {},
                          SourceLoc loc = SourceLoc::current());

/// Shardings without axis names.
struct ManualShardings {
  std::vector<mesh::Sharding> in, out;
};
std::vector<Value> manual(const std::vector<Value>& inputs,
                          const ManualShardings& shardings,
                          const ManualBody& body,
                          const ManualOptions& options = {},
                          SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
