// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/param_sharding.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/mesh/shards.h"
#include "meshwright/mesh/strategy_arguments.h"
#include "meshwright/mesh/unknown_axis.h"

namespace meshwright::mesh {
namespace {

constexpr std::string_view kSpecExample = "\nfor example: ('data', None, ('fsdp', 'tensor'))";

std::string what(const ParamInfo& param) {
  return str("parameter '", param.path, "' ", param.type);
}

// Makes and checks the sharding of a parameter. Errors name the parameter.
Sharding checked(const Mesh& mesh,
                 const ParamInfo& param,
                 const std::function<Sharding(const ParamInfo&)>& make) {
  try {
    Sharding sharding = make(param);
    static_cast<void>(ShardLayout(mesh, sharding, param.type.dims));  // throws if they do not match
    return sharding;
  } catch (const Error& error) {
    throw error.with_context(what(param));
  }
}

// Converts the arguments of a call to the mesh axes of each dimension.
Sharding spec_of(const StrategyCall& call) {
  Sharding out;
  for (const StrategyArgument& argument : call.arguments) {
    const auto* axes = std::get_if<std::vector<std::string>>(&argument.value);
    MW_CHECK(argument.name.empty() && axes != nullptr, call.name,
             ": each dimension needs the name of a mesh axis, several in brackets, or None",
             kSpecExample);
    out.dims.push_back(*axes);
  }
  return out;
}

Sharding by_axis_rules(const ParamInfo& param, const AxisRules& rules) {
  if (param.mesh_axes) return parse_mesh_axes(*param.mesh_axes);
  MW_CHECK(std::ssize(param.axes) == param.type.rank(), "has ", param.type.rank(),
           " dimensions but names ", param.axes.size(), " axes\nname one axis for each dimension");
  return rules.sharding(std::vector<std::string_view>(param.axes.begin(), param.axes.end()));
}

// Returns, for each parameter, the index of the first pattern that matches its path.
std::vector<std::size_t> first_matches(std::span<const ParamInfo> params,
                                       const std::vector<Regex>& patterns,
                                       std::vector<std::string>& warnings) {
  std::vector<std::size_t> out;
  std::vector<char> used(patterns.size());
  for (const ParamInfo& param : params) {
    auto match = std::ranges::find_if(
        patterns, [&](const Regex& pattern) { return pattern.matches(param.path); });
    MW_CHECK(match != patterns.end(), what(param), " matches none of the ", patterns.size(),
             " patterns ", patterns, "\nend the list with '.*' to cover the rest");
    out.push_back(static_cast<std::size_t>(match - patterns.begin()));
    used[out.back()] = 1;
  }
  std::vector<std::string> paths;
  for (const ParamInfo& param : params)
    paths.push_back(param.path);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (used[i] != 0) continue;
    warnings.push_back(str("sharding pattern ", patterns[i], " applies to no parameter",
                           did_you_mean(patterns[i].pattern(), paths)));
  }
  return out;
}

// Assigns `axes` to the largest divisible dimension that is not split yet. Among dimensions of
// equal size it takes the last, like a reversed numpy.argsort.
bool split_largest(const Mesh& mesh,
                   const Dims& dims,
                   const std::vector<std::string>& axes,
                   Sharding& sharding) {
  sharding.dims.resize(dims.size());
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return dims[i]; });
  std::ranges::reverse(order);
  std::int64_t parts = num_shards_along(mesh, axes);
  for (std::size_t i : order) {
    if (dims[i] % parts != 0 || !sharding.dims[i].empty()) continue;
    sharding.dims[i] = axes;
    return true;
  }
  return false;
}

struct Step {  // input of a strategy
  const Mesh& mesh;
  const ParamInfo& param;
  const AxisRules& rules;
  std::vector<std::string>& warnings;
  Sharding sharding;
};

void check_whole(const Step& step, const StrategyCall& call) {
  MW_CHECK(step.sharding.is_replicated(), call.name,
           ": the parameter is already split: ", step.sharding, "\nput ", call.name,
           " first, or use it alone");
}

void apply_fsdp(Step& step, Arguments& arguments) {
  auto axes = arguments.required<std::vector<std::string>>("axis", 0);
  double megabytes = arguments.find<double>("min_size_to_shard_mb", 1).value_or(4);
  if (static_cast<double>(step.param.type.num_bytes()) <= megabytes * (1 << 20)) return;
  if (split_largest(step.mesh, step.param.type.dims, axes, step.sharding)) return;
  step.warnings.push_back(str("fsdp: ", what(step.param), " stays ", step.sharding,
                              ": no unsplit dimension is divisible by mesh axes ", axes));
}

void apply_shard_dim(Step& step, Arguments& arguments) {
  auto axes = arguments.required<std::vector<std::string>>("axis", 0);
  std::optional<std::int64_t> named = arguments.find_whole("dim", 1);
  MW_CHECK(named.has_value(), "shard_dim: 'dim' is missing\nwrite dim=0, or dim=-1 for the last");
  std::int64_t dim = *named;
  bool ignore = arguments.find<bool>("ignore_ndim_error", 2).value_or(false);
  std::int64_t rank = step.param.type.rank();
  if (dim < -rank || dim >= rank) {
    MW_CHECK(ignore, "shard_dim: no dimension ", dim,
             "\nwrite ignore_ndim_error=True to skip such parameters");
    step.warnings.push_back(str("shard_dim: ", what(step.param), " has no dimension ", dim));
    return;
  }
  step.sharding.dims.resize(static_cast<std::size_t>(rank));
  auto& split = step.sharding.dims[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
  MW_CHECK(split.empty(), "shard_dim: dimension ", dim, " is already split: ", step.sharding,
           "\nsplit another dimension, or this one by several axes in one step");
  split = axes;
}

void apply_fully_sharded(Step& step, Arguments& arguments) {
  FullyShardedOptions options;
  if (auto axes = arguments.find<std::vector<std::string>>("axis", 0)) options.axes = *axes;
  if (auto threshold = arguments.find_whole("too_small_to_shard_thr", 1))
    options.too_small_to_shard_thr = *threshold;
  step.sharding = fully_sharded(step.mesh, step.param.type.dims, options);
}

void apply(Step& step, const StrategyCall& call) {
  if (call.name == "partition_spec") {
    check_whole(step, call);
    step.sharding = spec_of(call);
    return;
  }
  Arguments arguments(call);
  if (call.name == "fsdp") {
    apply_fsdp(step, arguments);
  } else if (call.name == "shard_dim") {
    apply_shard_dim(step, arguments);
  } else if (call.name == "fully_sharded") {
    check_whole(step, call);
    apply_fully_sharded(step, arguments);
  } else if (call.name == "replicate" || call.name == "replicated") {
    check_whole(step, call);
  } else if (call.name == "logical_partitioning") {
    if (!step.param.axes.empty() || step.param.mesh_axes)
      step.sharding = by_axis_rules(step.param, step.rules);
  } else {
    fail(ErrorCode::invalid_argument, "unknown sharding strategy '", call.name, "'",
         did_you_mean(call.name, {"fsdp", "shard_dim", "replicate", "replicated", "fully_sharded",
                                  "partition_spec", "logical_partitioning"}));
  }
  arguments.check_all_taken();
}

// Returns the mesh axes that a call names, or its defaults.
std::vector<std::string> mesh_axes_of(const StrategyCall& call) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& [name, value] = call.arguments[i];
    const auto* axes = std::get_if<std::vector<std::string>>(&value);
    bool names_axes = call.name == "partition_spec" || name == "axis" || (name.empty() && i == 0);
    if (axes != nullptr && names_axes) out.insert(out.end(), axes->begin(), axes->end());
  }
  if (out.empty() && call.name == "fully_sharded") out = FullyShardedOptions().axes;
  return out;
}

void check_axes_exist(const Mesh& mesh,
                      const std::vector<std::string>& axes,
                      const std::string& where) {
  for (const std::string& axis : axes) {
    if (!mesh.find_axis(axis)) fail_unknown_axis(mesh, axis, where);
  }
}

// Rejects unknown mesh axes even if the strategy splits no parameter, for example because all are
// small.
void check_axes(const Mesh& mesh,
                std::span<const StrategyRule> rules,
                const std::vector<std::vector<StrategyCall>>& calls) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (const StrategyCall& call : calls[i]) {
      check_axes_exist(mesh, mesh_axes_of(call),
                       str("sharding of ", rules[i].pattern, " by ", call.name));
    }
  }
}

}  // namespace

Sharding parse_mesh_axes(std::string_view text) {
  MW_CHECK(text.starts_with('('), "mesh_axes: ", text, " does not begin with '('", kSpecExample);
  return spec_of(parse_call("mesh_axes", text, kSpecExample));
}

ParamShardings shard_by_axes(const Mesh& mesh,
                             std::span<const ParamInfo> params,
                             const AxisRules& rules) {
  constexpr std::string_view kTable = "sharding.params";
  check_rules(mesh, rules, kTable);
  ParamShardings out;
  std::vector<std::string> axes;
  for (const ParamInfo& param : params) {
    out.shardings.push_back(
        checked(mesh, param, [&](const ParamInfo& p) { return by_axis_rules(p, rules); }));
    if (param.mesh_axes) continue;
    for (const std::string& axis : param.axes) {
      if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
    }
  }
  out.warnings = unused_rules(rules, axes, kTable);
  return out;
}

ParamShardings shard_by_patterns(const Mesh& mesh,
                                 std::span<const ParamInfo> params,
                                 std::span<const ShardingPattern> specs) {
  std::vector<Regex> patterns;
  for (const ShardingPattern& spec : specs) {
    patterns.push_back(spec.pattern);
    check_sharding(mesh, spec.sharding);  // even if it applies to no parameter
  }
  ParamShardings out;
  std::vector<std::size_t> matches = first_matches(params, patterns, out.warnings);
  for (std::size_t i = 0; i < params.size(); ++i) {
    out.shardings.push_back(
        checked(mesh, params[i], [&](const ParamInfo&) { return specs[matches[i]].sharding; }));
  }
  return out;
}

Sharding fully_sharded(const Mesh& mesh, const Dims& dims, const FullyShardedOptions& options) {
  Sharding out;
  if (num_elements(dims) > options.too_small_to_shard_thr) {
    split_largest(mesh, dims, options.axes, out);
  }
  return out;
}

ParamShardings shard_by_strategies(const Mesh& mesh,
                                   std::span<const ParamInfo> params,
                                   std::span<const StrategyRule> rules,
                                   const AxisRules& axis_rules) {
  std::vector<Regex> patterns;
  std::vector<std::vector<StrategyCall>> calls;
  for (const StrategyRule& rule : rules) {
    patterns.push_back(rule.pattern);
    calls.push_back(parse_strategy(rule.strategy));
  }
  ParamShardings out;
  check_axes(mesh, rules, calls);
  std::vector<std::size_t> matches = first_matches(params, patterns, out.warnings);
  for (std::size_t i = 0; i < params.size(); ++i) {
    auto make = [&](const ParamInfo& param) {
      Step step{mesh, param, axis_rules, out.warnings, {}};
      for (const StrategyCall& call : calls[matches[i]])
        apply(step, call);
      return step.sharding;
    };
    out.shardings.push_back(checked(mesh, params[i], make));
  }
  return out;
}

ParamShardings shard_by_name(const Mesh& mesh,
                             std::span<const ParamInfo> params,
                             std::string_view name,
                             const FullyShardedOptions& options) {
  MW_CHECK(name == "replicated" || name == "fully_sharded", "unknown parameter sharding '", name,
           "'", did_you_mean(name, {"replicated", "fully_sharded"}));
  if (name == "fully_sharded") check_axes_exist(mesh, options.axes, "sharding by fully_sharded");
  ParamShardings out;
  for (const ParamInfo& param : params) {
    out.shardings.push_back(checked(mesh, param, [&](const ParamInfo& p) {
      return name == "replicated" ? Sharding::replicated()
                                  : fully_sharded(mesh, p.type.dims, options);
    }));
  }
  return out;
}

}  // namespace meshwright::mesh
