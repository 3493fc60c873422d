// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/config/mixture_config.h"

#include <algorithm>

namespace meshwright::data {

std::map<std::string, PartConfig> MixtureConfig::used_parts() const {
  std::map<std::string, PartConfig> out = parts;
  std::erase_if(out, [](const auto& part) { return part.second.mixing().is_left_out(); });
  return out;
}

std::size_t MixtureConfig::num_weighted() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      parts, [](const auto& part) { return part.second.mixing().weight.has_value(); }));
}

bool MixtureConfig::every_weight_is_zero() const {
  return !parts.empty() && used_parts().empty();
}

bool MixtureConfig::limits_weighted() const {
  return std::ranges::any_of(parts, [](const auto& part) {
    return part.second.mixing().weight && part.second.mixing().max_examples;
  });
}

bool MixtureConfig::counts_epochs() const {
  return std::ranges::any_of(
      parts, [](const auto& part) { return part.second.mixing().num_epochs.has_value(); });
}

}  // namespace meshwright::data
