// SPDX-License-Identifier: Apache-2.0
// How the results of modules lie on the mesh.
#pragma once

#include <string>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::graph {

/// For the modules whose whole path matches.
struct OutputRule {
  Regex pattern;
  mesh::Sharding sharding;
};

/// While alive, results of modules traced by this thread are sharded by the first rule whose
/// pattern matches the module path.
class OutputRuleScope {
 public:
  explicit OutputRuleScope(const std::vector<OutputRule>& rules);
  ~OutputRuleScope();
  OutputRuleScope(const OutputRuleScope&) = delete;
  OutputRuleScope& operator=(const OutputRuleScope&) = delete;

  /// One line for each rule that no module has been traced for.
  std::vector<std::string> warnings() const;

 private:
  friend Value module_output(Value x, SourceLoc loc);
  friend Value module_output(Value x, AxisSpec axes, SourceLoc loc);
  // nullptr if no rule says.
  static const mesh::Sharding* find_sharding();

  const OutputRuleScope* previous_;
  const std::vector<OutputRule>& rules_;
  mutable std::vector<bool> is_used_;
};

/// x, the result of the module that is being traced, laid out by the output rule for its path.
/// Without one it is x, or constrain(x, axes).
Value module_output(Value x, SourceLoc loc = SourceLoc::current());
Value module_output(Value x, AxisSpec axes, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
