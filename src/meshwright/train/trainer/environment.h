// SPDX-License-Identifier: Apache-2.0
// What the bits of a run depend on beside its config: platform, processor, flags of the compiler.
#pragma once

#include <string>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/runtime/client.h"

namespace meshwright::train {

/// Returns the environment as checkpoints record it.
checkpoint::Meta environment(const runtime::Client& client);

/// Warns if a checkpoint was made in another environment, and says where they differ.
void warn_of_other_environment(const checkpoint::Meta& then, const checkpoint::Meta& now);

/// Describes XLA flags and plugin variables that are set; empty if none is.
std::string environment_text();

/// Returns the number of this process among those of the run.
int process_of(const runtime::Client& client);

}  // namespace meshwright::train
