// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/mixture/rates.h"

#include <algorithm>
#include <cmath>

namespace meshwright::data {

double mixing_rate(std::int64_t num_examples,
                   std::optional<std::int64_t> max_examples,
                   double temperature) {
  const std::int64_t counted = std::min(num_examples, max_examples.value_or(num_examples));
  return std::pow(static_cast<double>(counted), 1 / temperature);
}

}  // namespace meshwright::data
