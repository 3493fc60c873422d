// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/average.h"

namespace meshwright::metrics {

void Averages::add(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (const auto* number = std::get_if<double>(&entry.value)) {
      means_[entry.name].add(*number);
    } else if (const auto* weighted = std::get_if<WeightedScalar>(&entry.value)) {
      means_[entry.name].add(*weighted);
    }
  }
}

WeightedScalar Averages::at(std::string_view name) const {
  auto found = means_.find(name);
  if (found == means_.end()) fail(ErrorCode::not_found, "metrics: no average '", name, "'");
  return found->second.value();
}

std::vector<Entry> Averages::entries() const {
  std::vector<Entry> out;
  for (const auto& [name, mean] : means_)
    out.push_back({name, mean.value()});
  return out;
}

}  // namespace meshwright::metrics
