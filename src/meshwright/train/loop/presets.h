// SPDX-License-Identifier: Apache-2.0
// The orders of work of the reference systems, as configs of our agenda.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/check.h"
#include "meshwright/train/loop/agenda.h"

namespace meshwright::train {

/// "axlearn", "t5x", "big_vision", "seqax".
std::vector<std::string> preset_names();

/// A system's order of work, and the intervals that it takes from its configs.
struct PresetConfig {
  std::string name;
  std::int64_t log = 100;
  std::optional<std::int64_t> save = 1000;  // absent: never
  std::optional<std::int64_t> keep = {};    // Big Vision's keep_ckpt
  std::optional<std::int64_t> eval = 1000;

  void fields(auto& f) {
    f.required("name", name, config::one_of(preset_names()),
               "System whose order of work to follow.");
    f.optional("log", log, config::kPositive, "How often to report metrics.").unit("steps");
    f.optional("save", save, config::kPositive, "How often to save. `none`: never.").unit("steps");
    f.optional("keep", keep, config::kPositive, "Big Vision's keep_ckpt_steps.").unit("steps");
    f.optional("eval", eval, config::kPositive, "How often to evaluate. `none`: never.")
        .unit("steps");
  }
};

/// What "auto" stands for in a run's config.
struct Preset {
  LoopConfig loop;
  When save;
  When eval;
};

/// The order of work without a preset.
Preset default_preset();
/// Throws invalid_argument for a name that is not among preset_names().
Preset preset(const PresetConfig& config);

}  // namespace meshwright::train
