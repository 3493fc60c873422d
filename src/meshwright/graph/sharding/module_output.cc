// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/sharding/module_output.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

thread_local const OutputRuleScope* current_rules = nullptr;

Value laid_out(Value x, const mesh::Sharding& sharding, SourceLoc loc) {
  MW_CHECK(std::ssize(sharding.dims) <= x.rank(), "sharding.outputs: ", sharding, " has ",
           sharding.dims.size(), " dimensions, but the module returns ", x, origin(loc));
  return constrain(x, without_manual_axes(sharding), loc);
}

}  // namespace

OutputRuleScope::OutputRuleScope(const std::vector<OutputRule>& rules)
    : previous_(current_rules), rules_(rules), is_used_(rules.size()) {
  current_rules = this;
}

OutputRuleScope::~OutputRuleScope() {
  current_rules = previous_;
}

const mesh::Sharding* OutputRuleScope::find_sharding() {
  if (current_rules == nullptr) return nullptr;
  const std::vector<OutputRule>& rules = current_rules->rules_;
  const std::string& path = Tracer::current().module_path();
  auto matches = [&](const OutputRule& rule) { return rule.pattern.matches(path); };
  auto found = std::ranges::find_if(rules, matches);
  if (found == rules.end()) return nullptr;
  current_rules->is_used_[static_cast<std::size_t>(found - rules.begin())] = true;
  return &found->sharding;
}

std::vector<std::string> OutputRuleScope::warnings() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!is_used_[i])
      out.push_back(str("sharding.outputs: pattern ", rules_[i].pattern, " applies to no module"));
  }
  return out;
}

Value module_output(Value x, SourceLoc loc) {
  const mesh::Sharding* sharding = OutputRuleScope::find_sharding();
  return sharding == nullptr ? x : laid_out(x, *sharding, loc);
}

Value module_output(Value x, AxisSpec axes, SourceLoc loc) {
  const mesh::Sharding* sharding = OutputRuleScope::find_sharding();
  return sharding == nullptr ? constrain(x, axes, loc) : laid_out(x, *sharding, loc);
}

}  // namespace meshwright::graph
