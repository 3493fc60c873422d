// SPDX-License-Identifier: Apache-2.0
// Hooks: functions of the embedding program that run between updates.
#pragma once

#include <functional>
#include <string>

#include "meshwright/base/tree.h"
#include "meshwright/runtime/device_array.h"
#include "meshwright/train/loop/agenda.h"

namespace meshwright::train {

struct HookInput {
  const Boundary& boundary;
  /// The parameters after boundary.step updates. Valid until the hook returns: the next update may
  /// reuse their memory.
  const Tree<runtime::DeviceArray>& params;
};

/// Called at every boundary: before the first update and after each one, before the run logs,
/// evaluates and saves there. A hook may request a checkpoint, or the end of the run, which saves
/// first. An Error it throws ends the run, with the hook's name in the message.
struct Hook {
  std::string name;
  std::function<Request(const HookInput&)> at_boundary;
};

}  // namespace meshwright::train
