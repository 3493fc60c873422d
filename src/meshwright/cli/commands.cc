// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

constexpr Command kCommands[] = {
    {"config", "read configs: show, diff, explain, schema", run_config},
    {"doctor", "say what works here, and what to do about the rest", run_doctor},
    {"train", "train a model", run_train},
};

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace meshwright::cli
