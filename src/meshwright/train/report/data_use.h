// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/data/core/source.h"
#include "meshwright/metrics/event.h"

namespace meshwright::train {

/// Returns the metrics about the data that a run has gone through after `num_batches` batches:
/// data/examples, data/epochs, and data/PART/examples and data/PART/epochs for the parts of a
/// mixture. Epochs are absent for data without passes.
std::vector<metrics::Entry> data_use(const data::Source& source, std::int64_t num_batches);

}  // namespace meshwright::train
