// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/mesh_config.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/base/nearest.h"
#include "meshwright/base/regex.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/mesh_spec.h"
#include "meshwright/runtime/device_mesh.h"
#include "meshwright/runtime/plugin_choice.h"

namespace meshwright::cli {
namespace {

// Throws unless every process axis belongs to some mesh of the config.
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

// A mesh as written in one table of the config.
struct MeshTable {
  std::optional<MeshAxes> axes, outer;
  const char* outer_key;  // for messages
};

// Returns the mesh of the first matching rule, or else mesh.axes.
MeshTable chosen_table(const MeshConfig& config) {
  MeshTable configured{config.axes, config.outer, "mesh.outer"};
  if (!config.selector) return configured;
  for (const MeshRuleConfig& rule : config.rules) {
    if (!Regex(rule.selector).matches(*config.selector)) continue;
    log_info("mesh selector ", *config.selector, " matches mesh rule ", rule.selector);
    return {rule.axes, rule.outer, "outer of the mesh rule"};
  }
  return configured;
}

// Returns the size of each axis in `outer`; 1 for the others.
mesh::MeshShape::Sizes outer_sizes(const std::vector<std::string>& names, const MeshTable& table) {
  mesh::MeshShape::Sizes sizes(names.size(), 1);
  for (const auto& [name, size] : *table.outer) {
    auto found = std::ranges::find(names, name);
    MW_CHECK(found != names.end(), table.outer_key, ": the mesh has no axis '", name, "'",
             did_you_mean(name, names));
    sizes[static_cast<std::size_t>(found - names.begin())] = size;
  }
  return sizes;
}

// The number of virtual CPU devices can be chosen, so a mismatch is an error.
void check_num_devices(const MeshAxes& axes, const MeshConfig& config, std::size_t num_devices) {
  if (config.platform != "cpu" || !config.process_axes.empty()) return;
  std::int64_t wanted = 1;
  for (const auto& [name, size] : axes) {
    if (!size) return;
    wanted *= *size;
  }
  MW_CHECK(wanted == static_cast<std::int64_t>(num_devices), "mesh.axes need ", wanted,
           " devices, but there are ", num_devices, "\nset mesh.num_devices=", wanted);
}

runtime::DeviceMesh make_mesh(const MeshConfig& config,
                              std::span<const runtime::DeviceInfo> devices) {
  check_process_axes(config);
  const MeshTable table = chosen_table(config);
  MW_CHECK(table.axes || !table.outer, table.outer_key,
           ": requires axes for the devices within a group");
  if (!table.axes) return {};
  std::vector<std::string> names;
  mesh::MeshShape shape{.kinds = kinds_of(*table.axes, config)};
  for (const auto& [name, size] : *table.axes) {
    names.push_back(name);
    shape.inner.push_back(size);
  }
  if (table.outer) {
    shape.outer = outer_sizes(names, table);
  } else {
    check_num_devices(*table.axes, config, devices.size());
  }
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
    fail_after(str("sharding.outputs of '", config.pattern, "': "), error);
  }
}

}  // namespace

std::vector<std::string> platforms() {
  return {runtime::kPlatforms.begin(), runtime::kPlatforms.end()};
}

void check_pinned_memory(std::string_view key, std::span<const runtime::DeviceInfo> devices) {
  for (const runtime::DeviceInfo& device : devices)
    MW_CHECK(
        device.memory_kinds.empty() ||
            std::ranges::find(device.memory_kinds, graph::kPinnedHost) != device.memory_kinds.end(),
        key, ": ", device.kind, " has no memory of kind '", graph::kPinnedHost, "', only ",
        join(device.memory_kinds, ", "), "\nto keep these arrays on the device: remove it");
}

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
  if (sharding.offload) {
    out.slots_on_host = Regex(*sharding.offload);
    check_pinned_memory("sharding.offload", devices);
  }
  mesh::check_rules(out.mesh, out.params, "sharding.params");
  mesh::check_rules(out.mesh, out.activations, "sharding.activations");
  return out;
}

}  // namespace meshwright::cli

namespace meshwright::config {
template const Type& type_of<cli::MeshConfig>();
template const Type& type_of<cli::ShardingConfig>();
}  // namespace meshwright::config
