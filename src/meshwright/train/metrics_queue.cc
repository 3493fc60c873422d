// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/metrics_queue.h"

#include <utility>

namespace meshwright::train {

void MetricsQueue::push(std::int64_t step, runtime::DeviceArray values) {
  waiting_.push_back({step, std::move(values), {}});
}

void MetricsQueue::report_newest(metrics::Progress progress) {
  if (!waiting_.empty()) waiting_.back().report = std::move(progress);
}

void MetricsQueue::take_ready() {
  // The newest step's report may be asked for only after this; it waits for the next call.
  while (waiting_.size() > 1 && waiting_.front().values.is_ready())
    take_first();
}

void MetricsQueue::take_all() {
  while (!waiting_.empty())
    take_first();
}

void MetricsQueue::take_first() {
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  HostTensor host = first.values.to_host();
  std::span<const float> values = host.values<float>();
  handle_({first.step, {values.begin(), values.end()}, std::move(first.report)});
}

}  // namespace meshwright::train
