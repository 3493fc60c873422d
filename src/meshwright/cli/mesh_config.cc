// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/mesh_config.h"

#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/base/regex.h"
#include "meshwright/mesh/mesh_spec.h"

namespace meshwright::cli {
namespace {

mesh::MeshShape shape_of(const MeshAxes& axes) {
  mesh::MeshShape out;
  for (const auto& [name, size] : axes)
    out.inner.push_back(size);
  return out;
}

// The rule that matches decides; without one the axes do.
std::optional<MeshAxes> chosen_axes(const MeshConfig& config) {
  if (!config.selector) return config.axes;
  for (const MeshRuleConfig& rule : config.rules) {
    if (!Regex(rule.selector).matches(*config.selector)) continue;
    note("mesh selector ", *config.selector, " matches mesh rule ", rule.selector);
    return rule.axes;
  }
  return config.axes;
}

mesh::Mesh make_mesh(const MeshConfig& config, std::int64_t num_devices) {
  std::optional<MeshAxes> axes = chosen_axes(config);
  if (!axes) return {};
  std::vector<std::string> names;
  for (const auto& [name, size] : *axes)
    names.push_back(name);
  return mesh::make_mesh(names, shape_of(*axes), num_devices);
}

mesh::AxisRules make_rules(const std::map<std::string, config::OneOrMore<std::string>>& table) {
  std::vector<mesh::AxisRule> rules;
  for (const auto& [axis, mesh_axes] : table)
    rules.push_back({axis, mesh_axes});
  return mesh::AxisRules(std::move(rules));
}

}  // namespace

train::Placement make_placement(const MeshConfig& mesh,
                                const ShardingConfig& sharding,
                                std::int64_t num_devices) {
  train::Placement out{.mesh = make_mesh(mesh, num_devices),
                       .params = make_rules(sharding.params),
                       .activations = make_rules(sharding.activations)};
  mesh::check_rules(out.mesh, out.params, "sharding.params");
  mesh::check_rules(out.mesh, out.activations, "sharding.activations");
  return out;
}

}  // namespace meshwright::cli

namespace meshwright::config {
template const Type& type_of<cli::MeshConfig>();
template const Type& type_of<cli::ShardingConfig>();
}  // namespace meshwright::config
