// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/task/batch_spec.h"

#include <string_view>
#include <vector>

namespace meshwright::train {

Tree<mesh::Sharding> batch_shardings(const BatchSpec& spec, const mesh::AxisRules& activations) {
  return map(spec, [&](const data::ArraySpec& array) {
    std::vector<std::string_view> axes(array.axes.begin(), array.axes.end());
    return activations.sharding(axes);
  });
}

}  // namespace meshwright::train
