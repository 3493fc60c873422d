// SPDX-License-Identifier: Apache-2.0
// Config rules that select the updates and the group of a parameter. The first rule whose pattern
// matches the whole path applies.
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/pattern.h"
#include "meshwright/config/type_of.h"
#include "meshwright/optim/learner/learner.h"

namespace meshwright::optim {

inline config::Choices<UpdateType> config_choices(UpdateType) {
  return {{"no_update", UpdateType::no_update},
          {"optimizers", UpdateType::optimizers},
          {"state_updates", UpdateType::state_updates},
          {"all_updates", UpdateType::all_updates}};
}

/// A rule such as { params = "encoder/.*", update = "no_update" }.
struct UpdateRule {
  std::string params;
  UpdateType update = UpdateType::all_updates;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.required("update", update, "Which updates apply.");
  }
};

/// A rule such as { params = "encoder/.*", group = "slow" }.
struct GroupRule {
  std::string params;
  std::string group;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.required("group", group, config::kNonEmpty, "Name of an optimizer in `groups`.");
  }
};

}  // namespace meshwright::optim
