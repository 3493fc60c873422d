// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/preset.h"

#include "meshwright/cli/run_config.h"
#include "meshwright/train/trainer/resolve.h"

namespace meshwright::cli {

RunConfig with_preset(RunConfig config) {
  train::resolve(config.train,
                 config.preset ? train::preset(*config.preset) : train::default_preset());
  return config;
}

}  // namespace meshwright::cli
