// SPDX-License-Identifier: Apache-2.0
// What a program that uses the library does between updates, by name.
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
/// evaluates and saves there. It may ask for a checkpoint or for the end of the run, which saves
/// first. An Error it throws ends the run, with the hook's name in the message.
struct Hook {
  std::string name;
  std::function<Request(const HookInput&)> at_boundary;
};

}  // namespace meshwright::train
