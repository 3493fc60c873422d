// SPDX-License-Identifier: Apache-2.0
// Axis rules, which map the axes of an array to its sharding.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::mesh {

struct AxisRule {
  std::string axis;                    // array axis
  std::vector<std::string> mesh_axes;  // mesh axes that split it, major to minor
};

/// A table with at most one rule per axis. An axis without a rule is not split. A run has two
/// tables: one for parameters and one for activations.
class AxisRules {
 public:
  AxisRules() = default;
  /// Throws invalid_argument if an axis has two rules or a rule names a mesh axis twice.
  explicit AxisRules(std::vector<AxisRule> rules);
  AxisRules(std::initializer_list<AxisRule> rules) : AxisRules(std::vector<AxisRule>(rules)) {}

  const std::vector<AxisRule>& rules() const { return rules_; }
  /// Returns the rule for an axis; nullptr if it is not split.
  const AxisRule* find(std::string_view axis) const;

  /// Returns the sharding of an array with these axes. Throws invalid_argument if a mesh axis would
  /// split two of these axes; the message names both.
  Sharding sharding(std::span<const std::string_view> axes) const;
  Sharding sharding(const AxisSpec& axes) const { return sharding(axes.names()); }

 private:
  std::vector<AxisRule> rules_;
};

/// Throws invalid_argument if a rule names an unknown mesh axis. `table` names the table in the
/// message.
void check_rules(const Mesh& mesh, const AxisRules& rules, std::string_view table);

/// Returns one warning per rule whose axis does not occur in `axes`, the axes of all arrays.
std::vector<std::string> unused_rules(const AxisRules& rules,
                                      const std::vector<std::string>& axes,
                                      std::string_view table);

}  // namespace meshwright::mesh
