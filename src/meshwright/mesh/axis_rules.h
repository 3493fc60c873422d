// SPDX-License-Identifier: Apache-2.0
// From the names of an array's axes to how it lies on the mesh.
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
  std::string axis;                    // of arrays
  std::vector<std::string> mesh_axes;  // that split it, major to minor
};

/// A table of rules, one per axis; an axis without a rule is whole. A run has two: one for
/// parameters and one for activations.
class AxisRules {
 public:
  AxisRules() = default;
  /// Throws invalid_argument if an axis has two rules or a rule names a mesh axis twice.
  explicit AxisRules(std::vector<AxisRule> rules);
  AxisRules(std::initializer_list<AxisRule> rules) : AxisRules(std::vector<AxisRule>(rules)) {}

  const std::vector<AxisRule>& rules() const { return rules_; }
  /// The rule of an axis; nullptr if it is whole.
  const AxisRule* find(std::string_view axis) const;

  /// How an array with these axes lies. Throws invalid_argument, naming the axes, if one mesh axis
  /// would split two of them.
  Sharding sharding(std::span<const std::string_view> axes) const;
  Sharding sharding(const AxisSpec& axes) const { return sharding(axes.names()); }

 private:
  std::vector<AxisRule> rules_;
};

/// Throws invalid_argument if a rule names a mesh axis that does not exist; `table` says which
/// table it stands in.
void check_rules(const Mesh& mesh, const AxisRules& rules, std::string_view table);

/// One warning for each rule whose axis is none of `axes`, the names that arrays really have.
std::vector<std::string> unused_rules(const AxisRules& rules,
                                      const std::vector<std::string>& axes,
                                      std::string_view table);

}  // namespace meshwright::mesh
