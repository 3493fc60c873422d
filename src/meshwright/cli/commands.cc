// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

constexpr Command kCommands[] = {
    {"ckpt", "look into checkpoints: ls, show, verify, diff, gc", run_ckpt},
    {"config", "read configs: show, diff, explain, schema", run_config},
    {"doctor", "say what works here, and what to do about the rest", run_doctor},
    {"eval", "evaluate a checkpoint of a run", run_eval},
    {"generate", "continue prompts with the model of a run", run_generate},
    {"profile", "say where the time of a training step goes", run_profile},
    {"train", "train a model", run_train},
};

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace meshwright::cli
