// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace meshwright::data {

/// Returns the weight of a part in a mixture by size, as SeqIO's mixing_rate_num_examples: the
/// number of examples, or `max_examples` if that is less, to the power of 1 / temperature.
/// Temperature 1 mixes in proportion to the sizes; higher ones even out the parts.
double mixing_rate(std::int64_t num_examples,
                   std::optional<std::int64_t> max_examples,
                   double temperature);

}  // namespace meshwright::data
