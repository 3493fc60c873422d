// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/axis_rules.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/mesh/unknown_axis.h"

namespace meshwright::mesh {

AxisRules::AxisRules(std::vector<AxisRule> rules) : rules_(std::move(rules)) {
  for (const AxisRule& rule : rules_) {
    MW_CHECK(find(rule.axis) == &rule, "axis rules: axis '", rule.axis, "' has two rules");
    for (const std::string& mesh_axis : rule.mesh_axes) {
      MW_CHECK(std::ranges::count(rule.mesh_axes, mesh_axis) == 1, "axis rules: mesh axis '",
               mesh_axis, "' appears twice in the rule of axis '", rule.axis, "'\nname it once");
    }
  }
}

const AxisRule* AxisRules::find(std::string_view axis) const {
  auto found = std::ranges::find(rules_, axis, &AxisRule::axis);
  return found == rules_.end() ? nullptr : &*found;
}

Sharding AxisRules::sharding(std::span<const std::string_view> axes) const {
  Sharding out;
  out.dims.resize(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const AxisRule* rule = find(axes[i]);
    if (rule == nullptr) continue;
    for (const std::string& mesh_axis : rule->mesh_axes) {
      for (std::size_t j = 0; j < i; ++j) {
        MW_CHECK(std::ranges::find(out.dims[j], mesh_axis) == out.dims[j].end(),
                 "axis rules: ", "mesh axis '", mesh_axis, "' would split both '", axes[j],
                 "' and '", axes[i], "' of the array \"", join(axes, " "),
                 "\"\nleave one of them whole");
      }
    }
    out.dims[i] = rule->mesh_axes;
  }
  return out;
}

void check_rules(const Mesh& mesh, const AxisRules& rules, std::string_view table) {
  for (const AxisRule& rule : rules.rules()) {
    for (const std::string& mesh_axis : rule.mesh_axes) {
      if (!mesh.find_axis(mesh_axis))
        fail_unknown_axis(mesh, mesh_axis, str(table, ": the rule of axis '", rule.axis, "'"));
    }
  }
}

std::vector<std::string> unused_rules(const AxisRules& rules,
                                      const std::vector<std::string>& axes,
                                      std::string_view table) {
  std::vector<std::string> out;
  for (const AxisRule& rule : rules.rules()) {
    if (std::ranges::find(axes, rule.axis) != axes.end()) continue;
    out.push_back(str(table, ": the rule of axis '", rule.axis, "' matches no array",
                      did_you_mean(rule.axis, axes)));
  }
  return out;
}

}  // namespace meshwright::mesh
