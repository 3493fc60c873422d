// SPDX-License-Identifier: Apache-2.0
// Factors other than the config that determine the bits of a run: platform, processor, compiler
// flags.
#pragma once

#include <string>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/runtime/client.h"

namespace meshwright::train {

/// Returns the environment as checkpoints record it.
checkpoint::Meta environment(const runtime::Client& client);

/// Warns, listing the differences, if a checkpoint was made in another environment.
void warn_of_other_environment(const checkpoint::Meta& then, const checkpoint::Meta& now);

/// Describes the XLA flags and plugin variables that are set; empty if there are none.
std::string environment_text();

/// Returns the number of this process within the run.
int process_of(const runtime::Client& client);

}  // namespace meshwright::train
