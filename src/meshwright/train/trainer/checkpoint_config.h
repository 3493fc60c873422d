// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/retention/retention.h"
#include "meshwright/checkpoint/save/save_options.h"
#include "meshwright/config/check.h"
#include "meshwright/config/type_of.h"
#include "meshwright/train/loop/policy.h"
#include "meshwright/train/restore/restore_config.h"

namespace meshwright::train {

/// When and how a run saves, which checkpoints it keeps and how it resumes.
struct CheckpointConfig {
  config::OrAuto<When> when;
  std::string format = "native";
  checkpoint::Retention retention;
  checkpoint::SaveOptions saving;
  RestoreConfig restore;

  void fields(auto& f) {
    f.optional(
        "when", when,
        "When to save. `auto`: as the preset says, otherwise every 1000 steps and at the last.");
    f.optional(
        "format", format, config::one_of(checkpoint::format_names()),
        "Format of the files: Meshwright's own, which Orbax can read, or that of another system.");
    retention.fields(f);
    saving.fields(f);
    restore.fields(f);
  }
};

}  // namespace meshwright::train
