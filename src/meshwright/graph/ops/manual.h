// SPDX-License-Identifier: Apache-2.0
// Manual regions, in which each device works on its own shard and communicates through collectives.
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
  mesh::AxisSet axes;               // the mesh axes that become manual
  std::vector<mesh::Sharding> in;   // per operand; over manual axes only
  std::vector<mesh::Sharding> out;  // per result; over manual axes only
};
/// sdy: manual_computation. attrs: ManualAttrs. The operands are the arguments of the body.
extern const OpDef kManual;

inline constexpr std::array kManualOps = {&kManual};

struct ManualInput {
  Value value;           // the whole array
  mesh::ShardSpec spec;  // how to split it
};

struct ManualOptions {
  /// The mesh axes that become manual. Defaults to all except the process axes, which are
  /// already manual. Along mesh axes that are not manual, XLA partitions the body.
  std::vector<std::string> axes = {};
};

/// Computes this device's shards of the results from its shards of the inputs.
using ManualBody = std::function<std::vector<Value>(std::span<const Value> parts)>;

/// Runs `body` on every device with its shards:
///   manual({{x, "batch/d embed"}, {w, "embed hidden/t"}}, {"batch/d hidden/t"}, body)
/// Axis names have the sizes of the whole arrays, which must agree with the scope around the
/// region. Outer values that the body uses enter as their declared shards and are gathered. A
/// result may vary only over the mesh axes in its spec. Throws invalid_argument if a result varies
/// over other axes, if a dimension is not divisible, or if a mesh axis is already manual.
std::vector<Value> manual(const std::vector<ManualInput>& inputs,
                          const std::vector<mesh::ShardSpec>& outputs,
                          const ManualBody& body,
                          const ManualOptions& options = {},
                          SourceLoc loc = SourceLoc::current());

/// For shardings without axis names.
struct ManualShardings {
  std::vector<mesh::Sharding> in, out;
};
std::vector<Value> manual(const std::vector<Value>& inputs,
                          const ManualShardings& shardings,
                          const ManualBody& body,
                          const ManualOptions& options = {},
                          SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
