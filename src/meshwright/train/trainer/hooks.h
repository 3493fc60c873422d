// SPDX-License-Identifier: Apache-2.0
// Hooks: functions of the embedding program that run between updates.
#pragma once

#include <functional>
#include <string>

#include "meshwright/base/tree.h"
#include "meshwright/runtime/device_array.h"
#include "meshwright/train/loop/agenda.h"

namespace meshwright::train {

/// When a hook is called at a boundary.
enum class HookTime {
  /// At every boundary, before the run logs, evaluates and saves there. The boundaries are before
  /// the first update and after each update.
  before_actions,
  /// At boundaries where evaluators ran, after the last of them. Boundary::results has their
  /// results, and Boundary::stop shows whether early stopping ends the run.
  after_evaluations,
};

struct HookInput {
  const Boundary& boundary;
  /// The parameters after boundary.step updates. Valid until the hook returns: the next update may
  /// reuse their memory.
  const Tree<runtime::DeviceArray>& params;
};

/// A hook may request a checkpoint, or the end of the run, which saves first. Both happen at the
/// boundary where the hook is called. An Error thrown by a hook ends the run, with the hook's name
/// in the message.
struct Hook {
  std::string name;
  std::function<Request(const HookInput&)> at_boundary;
  HookTime when = HookTime::before_actions;
};

}  // namespace meshwright::train
