// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

std::optional<double> Outcome::find_result(const std::string& name) const {
  const auto found = results.find(name);
  return found == results.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace meshwright::train
