// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/train/restore/config_changes.h"
#include "meshwright/train/restore/restore_config.h"
#include "meshwright/train/step/state.h"

namespace meshwright::train {

/// Differences as lines of a message: a few of them, those of the model first.
std::string short_list(std::vector<std::string> differences);

/// Throws as arrays_to_restore does if this checkpoint is not what the run keeps. `changes` of the
/// config that may be the reason are part of the message.
void check_arrays_suit(const checkpoint::Stored& stored,
                       const StateLayout& layout,
                       const RestoreConfig& config,
                       const std::vector<ConfigChange>& changes = {});

/// What a run takes from a checkpoint for each array of its state; nothing is read yet. `initial`
/// makes a new state around the parameters that the checkpoint has, and is called only if some of
/// it is needed. Throws invalid_argument with
/// the first arrays that differ, and with the setting under which it would not matter.
Tree<checkpoint::StoredArray> arrays_to_restore(
    const checkpoint::Stored& stored,
    const StateLayout& layout,
    const RestoreConfig& config,
    const std::function<State(const Tree<HostTensor>& prebuilt)>& initial);

}  // namespace meshwright::train
