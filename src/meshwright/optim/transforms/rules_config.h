// SPDX-License-Identifier: Apache-2.0
// Rules for parameters in configs: lists whose first pattern that matches the whole path decides.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/pattern.h"
#include "meshwright/config/type_of.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/path_rules.h"

namespace meshwright::optim {

/// { params = ".*/norm", scale = 0 }
struct ScaleRule {
  std::string params;
  double scale = 1;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.required("scale", scale, config::kNotNegative, "Multiplier.");
  }
};
PathRules<double> scale_rules(const std::vector<ScaleRule>& rules);

inline config::Choices<UpdateType> config_choices(UpdateType) {
  return {{"no_update", UpdateType::no_update},
          {"optimizers", UpdateType::optimizers},
          {"state_updates", UpdateType::state_updates},
          {"all_updates", UpdateType::all_updates}};
}

/// { params = "encoder/.*", update = "no_update" }
struct UpdateRule {
  std::string params;
  UpdateType update = UpdateType::all_updates;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.required("update", update, "Which updates apply.");
  }
};
PathRules<UpdateType> update_rules(const std::vector<UpdateRule>& rules);

/// { params = "encoder/.*", group = "slow" }
struct GroupRule {
  std::string params;
  std::string group;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.required("group", group, config::kNonEmpty, "Name of an optimizer in `groups`.");
  }
};
PathRules<std::string> group_rules(const std::vector<GroupRule>& rules);

/// What a slot is stored in.
enum class SlotDType { f32, bf16, f16, f64, s16, s8 };
inline config::Choices<SlotDType> config_choices(SlotDType) {
  using enum SlotDType;
  return {{"f32", f32}, {"bf16", bf16}, {"f16", f16}, {"f64", f64}, {"s16", s16}, {"s8", s8}};
}
std::optional<DType> dtype_of(const std::optional<SlotDType>& dtype);

}  // namespace meshwright::optim
