// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/preset.h"

#include "meshwright/cli/run_config.h"
#include "meshwright/systems/list/all_systems.h"
#include "meshwright/train/trainer/resolve.h"

namespace meshwright::cli {

RunConfig with_preset(RunConfig config) {
  train::resolve(config.train,
                 config.preset ? systems::system_named(config.preset->name).preset(*config.preset)
                               : train::default_preset());
  return config;
}

}  // namespace meshwright::cli
