// SPDX-License-Identifier: Apache-2.0
// What a program that uses the library adds to a run, by name: hooks and metric sinks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "meshwright/base/tree.h"
#include "meshwright/metrics/bus.h"
#include "meshwright/runtime/device_array.h"
#include "meshwright/train/agenda.h"
#include "meshwright/train/run_folder.h"

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

/// A destination for metrics beside the run's own files.
struct SinkFactory {
  std::string name;
  /// Called when the run begins and whenever it goes back to an earlier step. What the sink has for
  /// `first_step` and later steps is void then. If it throws, the run warns and goes on without it.
  std::function<std::unique_ptr<metrics::Sink>(const Files& run, std::int64_t first_step)> open;
};

}  // namespace meshwright::train
