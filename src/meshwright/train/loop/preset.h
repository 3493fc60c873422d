// SPDX-License-Identifier: Apache-2.0
// The order in which another system logs, evaluates and saves, as settings of the agenda.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/config/check.h"
#include "meshwright/train/loop/agenda.h"

namespace meshwright::train {

/// Intervals that the systems take from their own configs.
struct PresetIntervals {
  std::int64_t log = 100;
  std::optional<std::int64_t> save = 1000;  // if absent, never
  std::optional<std::int64_t> keep = {};    // Big Vision's keep_ckpt
  std::optional<std::int64_t> eval = 1000;

  void fields(auto& f) {
    f.optional("log", log, config::kPositive, "How often to report metrics.").unit("steps");
    f.optional("save", save, config::kPositive, "How often to save. `none`: never.").unit("steps");
    f.optional("keep", keep, config::kPositive, "Big Vision's keep_ckpt_steps.").unit("steps");
    f.optional("eval", eval, config::kPositive, "How often to evaluate. `none`: never.")
        .unit("steps");
  }
};

/// Values that replace "auto" in a run's config.
struct Preset {
  LoopConfig loop;
  When save;
  When eval;
};

/// Returns the values used without a preset.
Preset default_preset();

/// Returns `policy` with the interval `n`. If `n` is absent, returns a policy that is never
/// due.
When every(std::optional<std::int64_t> n, EveryN policy);

}  // namespace meshwright::train
