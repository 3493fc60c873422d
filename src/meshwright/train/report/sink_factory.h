// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "meshwright/metrics/bus.h"
#include "meshwright/train/report/run_folder.h"

namespace meshwright::train {

/// A destination for metrics beside the run's own files.
struct SinkFactory {
  std::string name;
  /// Called when the run begins and whenever it goes back to an earlier step. What the sink has for
  /// `first_step` and later steps is void then. If it throws, the run warns and goes on without it.
  std::function<std::unique_ptr<metrics::Sink>(const Files& run, std::int64_t first_step)> open;
};

}  // namespace meshwright::train
