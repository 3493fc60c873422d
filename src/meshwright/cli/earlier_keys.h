// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/node.h"

namespace meshwright::cli {

/// Replaces keys of earlier versions in a run's config with the current ones. Warns about each key
/// that has an effect:
///   wandb = true     [[sinks]] type = "wandb", in addition to the default sinks
void replace_earlier_keys(config::Node& tree);

}  // namespace meshwright::cli
