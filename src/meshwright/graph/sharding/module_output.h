// SPDX-License-Identifier: Apache-2.0
// Output shardings of modules, chosen by module path.
#pragma once

#include <string>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::graph {

/// Applies to modules whose full path matches `pattern`.
struct OutputRule {
  Regex pattern;
  mesh::Sharding sharding;
};

/// For the lifetime of this object, the results of modules traced by this thread are sharded by the
/// first rule whose pattern matches the module path.
class OutputRuleScope {
 public:
  explicit OutputRuleScope(const std::vector<OutputRule>& rules);
  ~OutputRuleScope();
  OutputRuleScope(const OutputRuleScope&) = delete;
  OutputRuleScope& operator=(const OutputRuleScope&) = delete;

  /// Returns one line for each rule that has not applied to any module.
  std::vector<std::string> warnings() const;

 private:
  friend Value module_output(Value x, SourceLoc loc);
  friend Value module_output(Value x, AxisSpec axes, SourceLoc loc);
  // Returns the sharding of the first rule that matches; nullptr if there is none.
  static const mesh::Sharding* find_sharding();

  const OutputRuleScope* previous_;
  const std::vector<OutputRule>& rules_;
  mutable std::vector<bool> is_used_;
};

/// Returns x, the result of the module being traced, sharded by the output rule for the module's
/// path. If no rule matches, returns x, or constrain(x, axes).
Value module_output(Value x, SourceLoc loc = SourceLoc::current());
Value module_output(Value x, AxisSpec axes, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
