// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/train/restore/config_changes.h"
#include "meshwright/train/restore/restore_config.h"
#include "meshwright/train/step/state.h"

namespace meshwright::train {

/// Formats the first few differences as lines of a message, those of the model first.
std::string short_list(std::vector<std::string> differences);

/// Returns the checkpoint with those parameters in the dtype of the run that were saved in
/// `config.params_dtype`.
checkpoint::Stored in_own_dtypes(const checkpoint::Stored& stored,
                                 const Tree<ArrayType>& wanted,
                                 const RestoreConfig& config);
/// Returns the types of the arrays of a state.
Tree<ArrayType> types_of(const ParamSpecs& state);

/// Throws the error of arrays_to_restore() if the checkpoint does not match the state of the run.
/// The message gives `changes` to the config as a possible reason.
void check_arrays_suit(const checkpoint::Stored& stored,
                       const StateLayout& layout,
                       const RestoreConfig& config,
                       const std::vector<ConfigChange>& changes = {});

/// Returns, for each array of a run's state, the stored array to restore it from, without reading
/// data. `initial` makes a new state that contains the checkpoint's parameters; it is called only
/// if the checkpoint lacks arrays. If arrays differ, throws invalid_argument with the first of them
/// and the setting that would allow the difference.
Tree<checkpoint::StoredArray> arrays_to_restore(
    const checkpoint::Stored& stored,
    const StateLayout& layout,
    const RestoreConfig& config,
    const std::function<State(const Tree<HostTensor>& prebuilt)>& initial);

}  // namespace meshwright::train
