// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "meshwright/metrics/bus.h"
#include "meshwright/train/report/run_folder.h"

namespace meshwright::train {

/// A destination for metrics, in addition to the run's own files.
struct SinkFactory {
  std::string name;
  /// Called when the run starts and whenever it rewinds. The sink must discard its records of
  /// `first_step` and later steps. If `open` throws, the run warns and continues without the sink.
  std::function<std::unique_ptr<metrics::Sink>(const Files& run, std::int64_t first_step)> open;
};

}  // namespace meshwright::train
