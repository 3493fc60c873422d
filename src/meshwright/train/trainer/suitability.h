// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/train/restore/config_changes.h"
#include "meshwright/train/step/state.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Returns the differences between the job's config and the checkpoint's.
std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored, const Job& job);

/// Throws invalid_argument, with the config keys that changed, if the job cannot continue from this
/// checkpoint because its model, optimizer or data differ.
void check_suits(const checkpoint::Stored& stored, const Job& job, const StateLayout& layout);

}  // namespace meshwright::train
