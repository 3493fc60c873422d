// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/metrics_queue.h"

#include <algorithm>
#include <utility>

namespace meshwright::train {

void MetricsQueue::push(std::int64_t step, StepResults results) {
  waiting_.push_back({step, std::move(results), {}});
}

void MetricsQueue::report_newest(metrics::Progress progress) {
  if (!waiting_.empty()) waiting_.back().report = std::move(progress);
}

void MetricsQueue::tell_files_newest() {
  if (!waiting_.empty()) waiting_.back().is_for_files = true;
}

std::int64_t MetricsQueue::num_unfinished() const {
  return std::ranges::count_if(
      waiting_, [](const Waiting& step) { return !step.results.metrics.is_ready(); });
}

void MetricsQueue::take_ready() {
  // The newest step may still be marked for reporting, so it waits for the next call.
  while (waiting_.size() > 1 && waiting_.front().results.metrics.is_ready())
    take_first();
}

void MetricsQueue::take_all() {
  while (!waiting_.empty())
    take_first();
}

void MetricsQueue::take_first() {
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  HostTensor host = first.results.metrics.to_host();
  std::span<const float> values = host.values<float>();
  StepMetrics metrics{.step = first.step,
                      .values = {values.begin(), values.end()},
                      .report = std::move(first.report),
                      .is_for_files = first.is_for_files};
  if (metrics.report || metrics.is_for_files) {
    for (const runtime::DeviceArray& array : first.results.histograms)
      metrics.histograms.push_back(array.to_host());
  }
  handle_(metrics);
}

}  // namespace meshwright::train
