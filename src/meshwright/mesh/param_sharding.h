// SPDX-License-Identifier: Apache-2.0
// Sharding of parameters: by axis rules, explicit specs, or strategies.
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
  std::string path;  // such as "decoder/layers/w_q"
  ArrayType type;
  std::vector<std::string> axes;  // names of its dimensions; may be empty
  /// In the syntax of parse_mesh_axes(). Overrides the axis rules.
  std::optional<std::string> mesh_axes = {};
};

/// Parses a JAX PartitionSpec such as "('data', None, ('fsdp', 'tensor'))". Throws
/// invalid_argument, quoting the text, if it is malformed.
Sharding parse_mesh_axes(std::string_view text);

struct ParamShardings {
  std::vector<Sharding> shardings;    // one per parameter
  std::vector<std::string> warnings;  // one line each
};

// These functions throw invalid_argument, naming the parameter, if its sharding does not match the
// mesh or does not divide a dimension.

/// Shards each parameter by its own spec or, if it has none, by the axis rules. Warns about rules
/// that apply to no parameter.
ParamShardings shard_by_axes(const Mesh& mesh,
                             std::span<const ParamInfo> params,
                             const AxisRules& rules);

struct ShardingPattern {
  Regex pattern;  // matches full paths
  Sharding sharding;
};
/// Shards each parameter by the first pattern that matches; every parameter must match one. Warns
/// about patterns that apply to no parameter.
ParamShardings shard_by_patterns(const Mesh& mesh,
                                 std::span<const ParamInfo> params,
                                 std::span<const ShardingPattern> specs);

struct FullyShardedOptions {
  std::vector<std::string> axes = {"fsdp"};
  // number of elements; arrays of at most this size stay replicated
  std::int64_t too_small_to_shard_thr = 1 << 18;
};
/// Splits the largest divisible dimension; among dimensions of equal size, the last. Returns a
/// replicated sharding if the array is too small or no dimension is divisible.
Sharding fully_sharded(const Mesh& mesh, const Dims& dims, const FullyShardedOptions& options = {});

/// A pattern and the strategy for the parameters that it matches. A strategy has one or more steps,
/// which are applied in order. Examples:
///   fsdp(axis='data', min_size_to_shard_mb=4)   splits the largest dimension not yet split
///   shard_dim('model', 0, ignore_ndim_error=True)
///   replicate                                   or `replicated`
///   fully_sharded(axis='fsdp', too_small_to_shard_thr=262144)  see FullyShardedOptions
///   partition_spec('data', None, ('fsdp', 'tensor'))           an explicit sharding
///   logical_partitioning                        the parameter's own spec or the axis rules
///   logical_partitioning|fsdp(axis=('replica', 'fsdp'))
struct StrategyRule {
  Regex pattern;
  std::string strategy;
};
/// Shards each parameter by the first pattern that matches; every parameter must match one.
ParamShardings shard_by_strategies(const Mesh& mesh,
                                   std::span<const ParamInfo> params,
                                   std::span<const StrategyRule> rules,
                                   const AxisRules& axis_rules = {});

/// Implements Big Vision's `param_sharding`: "replicated" or "fully_sharded". Throws
/// invalid_argument for any other name.
ParamShardings shard_by_name(const Mesh& mesh,
                             std::span<const ParamInfo> params,
                             std::string_view name,
                             const FullyShardedOptions& options = {});

}  // namespace meshwright::mesh
