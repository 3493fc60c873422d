// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

// ./mw reads these rows for its own help.
constexpr Command kCommands[] = {
    {"ckpt", "inspect, compare and remove checkpoints", nullptr, ckpt_commands},
    {"compile", "compile a run's programs ahead of time, for any machines", compile_command},
    {"completion", "print a completion script for a shell", completion_command},
    {"config", "inspect, compare and explain configs", nullptr, config_commands},
    {"data", "describe, check and tokenize text; learn tokenizers", nullptr, data_commands},
    {"doctor", "check the installation and suggest fixes", doctor_command},
    {"eval", "evaluate a checkpoint", eval_command},
    {"generate", "generate text from prompts", generate_command},
    {"man", "print a man page", man_command},
    {"plan", "estimate memory and time on machines that need not be there", plan_command},
    {"profile", "break down the time of a training step", profile_command},
    {"train", "train a model", train_command},
};

const CommandGroup& commands() {
  static constexpr CommandGroup kProgram{"Trains large neural networks on CPUs, GPUs and TPUs.",
                                         kCommands};
  return kProgram;
}

}  // namespace meshwright::cli
