// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/state_testutil.h"

#include <numeric>

namespace meshwright::train {

HostTensor numbers(const std::vector<float>& values) {
  return HostTensor::from(values, {std::ssize(values)});
}

HostTensor counting_up(Dims dims, float first) {
  HostTensor out(ArrayType{f32, std::move(dims)});
  std::span<float> values = out.mutable_values<float>();
  std::iota(values.begin(), values.end(), first);
  return out;
}

BuildState initial_state(const std::map<std::string, HostTensor>& arrays) {
  BuildState out;
  for (const auto& [path, value] : arrays)
    out.arrays[path] = StateArray{.type = value.type(), .value = value};
  return out;
}

BuildState built_state(const std::map<std::string, HostTensor>& arrays) {
  BuildState out;
  for (const auto& [path, value] : arrays) {
    out.arrays[path] = StateArray{.type = value.type()};
    set_built(out.arrays.at(path).value(), value);
  }
  return out;
}

BuildState state_specs(const std::map<std::string, ArrayType>& types) {
  BuildState out;
  for (const auto& [path, type] : types)
    out.arrays[path] = StateArray{.type = type};
  return out;
}

std::vector<std::string> paths(const BuildState& state) {
  std::vector<std::string> out;
  for_each(state.arrays, [&](const std::string& path, const StateArray&) { out.push_back(path); });
  return out;
}

std::vector<double> value_of(const BuildState& state, const std::string& path) {
  return state.arrays.at(path).value().value.value().to_doubles();
}

}  // namespace meshwright::train
