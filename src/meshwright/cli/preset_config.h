// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/check.h"
#include "meshwright/systems/list/all_systems.h"
#include "meshwright/train/loop/preset.h"

namespace meshwright::cli {

struct PresetConfig : train::PresetIntervals {
  std::string name;

  void fields(auto& f) {
    f.required("name", name, config::one_of(systems::system_names()),
               "System whose order of logging, evaluating and saving to follow.");
    train::PresetIntervals::fields(f);
  }
};

}  // namespace meshwright::cli
