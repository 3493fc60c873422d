// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

constexpr Command kCommands[] = {
    {"ckpt", "inspect checkpoints: ls, show, verify, diff, gc", run_ckpt},
    {"config", "inspect configs: show, diff, explain, schema", run_config},
    {"doctor", "check the installation and suggest fixes", run_doctor},
    {"eval", "evaluate a checkpoint", run_eval},
    {"generate", "generate text from prompts", run_generate},
    {"profile", "break down the time of a training step", run_profile},
    {"train", "train a model", run_train},
};

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace meshwright::cli
