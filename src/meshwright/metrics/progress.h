// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// Training progress since the last report. Unknown values are absent.
struct Progress {
  std::int64_t step = 0;
  std::optional<std::int64_t> max_step = {};
  std::optional<double> loss = {};
  std::optional<double> learning_rate = {};
  std::optional<double> gradient_norm = {};
  std::optional<double> seconds_per_step = {};
  std::optional<double> items_per_second = {};
  std::string items = "examples";               // or "tokens"
  std::optional<double> flops_per_second = {};  // required by the model, over all devices
  std::optional<double> mfu = {};  // model FLOPs utilization: fraction of the devices' peak
  std::optional<double> wait_fraction = {};  // fraction of the time spent waiting for data
};

/// Returns the seconds until max_step at this pace.
std::optional<double> seconds_left(const Progress& progress);

/// Returns one line: "step 1,200/5,000 | loss 0.4321 | lr 0.0003 | grad norm 1.234 | 182,300
/// tokens/s | MFU n/a | 5.10 ms/step | data wait 0.3% | ETA 19s".
std::string line_of(const Progress& progress);

/// Returns the measurements as metrics for files: "perf/seconds_per_step",
/// "perf/tokens_per_second", "perf/model_flops_per_second", "perf/mfu", "perf/data_wait_fraction".
std::vector<Entry> entries_of(const Progress& progress);

}  // namespace meshwright::metrics
