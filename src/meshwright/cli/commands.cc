// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

constexpr Command kCommands[] = {
    {"ckpt", "inspect checkpoints: ls, show, verify, diff, gc", ckpt_command},
    {"config", "inspect configs: show, diff, explain, schema", config_command},
    {"doctor", "check the installation and suggest fixes", doctor_command},
    {"eval", "evaluate a checkpoint", eval_command},
    {"generate", "generate text from prompts", generate_command},
    {"profile", "break down the time of a training step", profile_command},
    {"train", "train a model", train_command},
};

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace meshwright::cli
