// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/mesh_config.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/base/nearest.h"
#include "meshwright/base/regex.h"
#include "meshwright/mesh/mesh_spec.h"
#include "meshwright/runtime/device_mesh.h"

namespace meshwright::cli {
namespace {

// The axes that are between processes; all of them must be in some mesh of the config.
std::vector<mesh::AxisKind> kinds_of(const MeshAxes& axes, const MeshConfig& config) {
  std::vector<mesh::AxisKind> out;
  for (const auto& [name, size] : axes) {
    bool between = std::ranges::find(config.process_axes, name) != config.process_axes.end();
    out.push_back(between ? mesh::AxisKind::process : mesh::AxisKind::inner);
  }
  return out;
}

std::vector<std::string> all_axis_names(const MeshConfig& config) {
  std::vector<std::string> out;
  auto add = [&](const std::optional<MeshAxes>& axes) {
    for (const auto& [name, size] : axes.value_or(MeshAxes()))
      out.push_back(name);
  };
  add(config.axes);
  for (const MeshRuleConfig& rule : config.rules)
    add(rule.axes);
  return out;
}

void check_process_axes(const MeshConfig& config) {
  std::vector<std::string> names = all_axis_names(config);
  for (const std::string& name : config.process_axes) {
    MW_CHECK(std::ranges::find(names, name) != names.end(), "mesh.process_axes: there is no axis '",
             name, "' in mesh.axes or mesh.rules", did_you_mean(name, names));
  }
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

// Of CPUs there are as many as one wants.
void check_num_devices(const MeshAxes& axes, const MeshConfig& config, std::size_t num_devices) {
  if (config.platform != "cpu" || !config.process_axes.empty()) return;
  std::int64_t wanted = 1;
  for (const auto& [name, size] : axes) {
    if (!size) return;
    wanted *= *size;
  }
  MW_CHECK(wanted == static_cast<std::int64_t>(num_devices), "mesh.axes are for ", wanted,
           " devices, but there are ", num_devices, "\nas many: mesh.num_devices=", wanted);
}

runtime::DeviceMesh make_mesh(const MeshConfig& config,
                              std::span<const runtime::DeviceInfo> devices) {
  check_process_axes(config);
  std::optional<MeshAxes> axes = chosen_axes(config);
  if (!axes) return {};
  std::vector<std::string> names;
  mesh::MeshShape shape{.kinds = kinds_of(*axes, config)};
  for (const auto& [name, size] : *axes) {
    names.push_back(name);
    shape.inner.push_back(size);
  }
  check_num_devices(*axes, config, devices.size());
  return runtime::place_mesh(names, shape, devices);
}

mesh::AxisRules make_rules(const std::map<std::string, config::OneOrMore<std::string>>& table) {
  std::vector<mesh::AxisRule> rules;
  for (const auto& [axis, mesh_axes] : table)
    rules.push_back({axis, mesh_axes});
  return mesh::AxisRules(std::move(rules));
}

mesh::Sharding output_sharding(const mesh::Mesh& mesh, const OutputConfig& config) {
  try {
    mesh::Sharding out = mesh::parse_mesh_axes(config.mesh_axes);
    mesh::check_sharding(mesh, out);
    return out;
  } catch (const Error& error) {
    fail(error.code(), "sharding.outputs of '", config.pattern, "': ", error.message(),
         "\nfor example: mesh_axes = \"('data', None, ('fsdp', 'tensor'))\"");
  }
}

}  // namespace

train::Placement make_placement(const MeshConfig& mesh,
                                const ShardingConfig& sharding,
                                std::span<const runtime::DeviceInfo> devices) {
  runtime::DeviceMesh placed = make_mesh(mesh, devices);
  train::Placement out{.mesh = std::move(placed.mesh),
                       .params = make_rules(sharding.params),
                       .activations = make_rules(sharding.activations),
                       .device_ids = std::move(placed.device_ids)};
  for (const StrategyConfig& entry : sharding.strategies)
    out.strategies.push_back({Regex(entry.pattern), entry.strategy});
  for (const OutputConfig& entry : sharding.outputs)
    out.outputs.push_back({Regex(entry.pattern), output_sharding(out.mesh, entry)});
  mesh::check_rules(out.mesh, out.params, "sharding.params");
  mesh::check_rules(out.mesh, out.activations, "sharding.activations");
  return out;
}

}  // namespace meshwright::cli

namespace meshwright::config {
template const Type& type_of<cli::MeshConfig>();
template const Type& type_of<cli::ShardingConfig>();
}  // namespace meshwright::config
