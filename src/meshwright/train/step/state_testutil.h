// SPDX-License-Identifier: Apache-2.0
// Small states for tests of builders and converters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meshwright/train/restore/state_builder.h"

namespace meshwright::train {

HostTensor numbers(const std::vector<float>& values);
/// Returns `first`, `first` + 1, ... in this shape.
HostTensor counting_up(Dims dims, float first = 0);

/// Returns a state with initial values.
BuildState initial_state(const std::map<std::string, HostTensor>& arrays);
/// Returns a state marked as restored.
BuildState built_state(const std::map<std::string, HostTensor>& arrays);
/// Returns a state with types only.
BuildState state_specs(const std::map<std::string, ArrayType>& types);

std::vector<std::string> paths(const BuildState& state);
std::vector<double> value_of(const BuildState& state, const std::string& path);

}  // namespace meshwright::train
