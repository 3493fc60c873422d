// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

constexpr Command kCommands[] = {
    {"ckpt", "look into checkpoints: ls, show, verify, diff, gc", run_ckpt},
    {"config", "read configs: show, diff, explain, schema", run_config},
    {"doctor", "check the installation and suggest fixes", run_doctor},
    {"eval", "evaluate a checkpoint of a run", run_eval},
    {"generate", "continue prompts with the model of a run", run_generate},
    {"profile", "break down the time of a training step", run_profile},
    {"train", "train a model", run_train},
};

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace meshwright::cli
