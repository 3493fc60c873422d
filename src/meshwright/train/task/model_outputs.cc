// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/task/model_outputs.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::train {
namespace {

constexpr std::string_view kPrefix = "model/";

}  // namespace

void add_outputs(const nn::Outputs& outputs, TaskLoss& loss) {
  for_each(outputs.state_updates,
           [&](const std::string& path, Value value) { loss.state_updates[path] = value; });
  for (const auto& [path, summary] : outputs.summaries) {
    std::string name = str(kPrefix, path);
    if (summary.value.rank() > 0) {
      MW_CHECK(summary.weight.is_null(), "summary '", path, "': ", summary.value.type(),
               " has a weight, but only scalars may have one");
      loss.histograms[name] = summary.value;
    } else {
      Value weight = summary.weight.is_null() ? graph::constant(1.0, f32) : summary.weight;
      loss.metrics[name] = {graph::cast(summary.value, f32), graph::cast(weight, f32)};
    }
  }
}

bool is_summary(std::string_view metric) {
  return metric.starts_with(kPrefix);
}

}  // namespace meshwright::train
