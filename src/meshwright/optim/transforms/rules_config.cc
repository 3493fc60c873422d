// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/rules_config.h"

namespace meshwright::optim {
namespace {

template <typename Rule, typename T>
PathRules<T> rules_of(const std::vector<Rule>& rules, T Rule::*value) {
  std::vector<std::pair<std::string, T>> out;
  for (const Rule& rule : rules)
    out.emplace_back(rule.params, rule.*value);
  return PathRules<T>(out);
}

}  // namespace

PathRules<double> scale_rules(const std::vector<ScaleRule>& rules) {
  return rules_of(rules, &ScaleRule::scale);
}

PathRules<UpdateType> update_rules(const std::vector<UpdateRule>& rules) {
  return rules_of(rules, &UpdateRule::update);
}

PathRules<std::string> group_rules(const std::vector<GroupRule>& rules) {
  return rules_of(rules, &GroupRule::group);
}

std::optional<DType> dtype_of(const std::optional<SlotDType>& dtype) {
  if (!dtype) return std::nullopt;
  switch (*dtype) {
    case SlotDType::f32:
      return DType::f32;
    case SlotDType::bf16:
      return DType::bf16;
    case SlotDType::f16:
      return DType::f16;
    case SlotDType::f64:
      return DType::f64;
    case SlotDType::s16:
      return DType::s16;
    case SlotDType::s8:
      return DType::s8;
  }
  return std::nullopt;
}

}  // namespace meshwright::optim
