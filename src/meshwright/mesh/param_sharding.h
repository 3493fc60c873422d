// SPDX-License-Identifier: Apache-2.0
// How parameters lie on the mesh: by rules for their axes, by explicit specs, or by strategies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::mesh {

struct ParamInfo {
  std::string path;  // "decoder/layers/w_q"
  ArrayType type;
  std::vector<std::string> axes;  // names of its dimensions; empty if it has none
  /// As parse_mesh_axes reads it; overrides the rules for the axes.
  std::optional<std::string> mesh_axes = {};
};

/// "('data', None, ('fsdp', 'tensor'))": the mesh axes of each dimension, as JAX writes a
/// PartitionSpec. Throws invalid_argument, showing the text.
Sharding parse_mesh_axes(std::string_view text);

struct ParamShardings {
  std::vector<Sharding> shardings;    // one per parameter
  std::vector<std::string> warnings;  // one line each
};

// All of these throw invalid_argument, naming the parameter, if the result does not suit the mesh
// or a dimension does not divide.

/// By each parameter's own spec or by the rules for the names of axes. A rule that decides about no
/// parameter is a warning.
ParamShardings shard_by_axes(const Mesh& mesh,
                             std::span<const ParamInfo> params,
                             const AxisRules& rules);

struct ParamSpec {
  Regex pattern;  // of whole paths
  Sharding sharding;
};
/// By the first pattern that matches; every parameter must have one. A pattern that decides about
/// nothing is a warning.
ParamShardings shard_by_patterns(const Mesh& mesh,
                                 std::span<const ParamInfo> params,
                                 std::span<const ParamSpec> specs);

struct FullyShardedOptions {
  std::vector<std::string> axes = {"fsdp"};
  std::int64_t too_small_to_shard_thr = 1 << 18;  // elements; as many are still whole
};
/// Splits the largest dimension that divides; of equal ones the last. Whole if none does.
Sharding fully_sharded(const Mesh& mesh, const Dims& dims, const FullyShardedOptions& options = {});

/// A pattern and what to do with its parameters, one or several steps one after the other:
///   fsdp(axis='data', min_size_to_shard_mb=4)   splits the largest dimension still whole
///   shard_dim('model', 0, ignore_ndim_error=True)
///   replicate                                   or `replicated`
///   fully_sharded(axis='fsdp', too_small_to_shard_thr=262144)  see FullyShardedOptions
///   partition_spec('data', None, ('fsdp', 'tensor'))           as it says
///   logical_partitioning                        by its own spec or the rules for its axes
///   logical_partitioning|fsdp(axis=('replica', 'fsdp'))
struct StrategyRule {
  Regex pattern;
  std::string strategy;
};
/// By the first pattern that matches; every parameter must have one.
ParamShardings shard_by_strategies(const Mesh& mesh,
                                   std::span<const ParamInfo> params,
                                   std::span<const StrategyRule> rules,
                                   const AxisRules& axis_rules = {});

/// A Big Vision `param_sharding`: "replicated" or "fully_sharded". Throws invalid_argument for
/// another name.
ParamShardings shard_by_name(const Mesh& mesh,
                             std::span<const ParamInfo> params,
                             std::string_view name,
                             const FullyShardedOptions& options = {});

}  // namespace meshwright::mesh
