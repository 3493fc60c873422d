// SPDX-License-Identifier: Apache-2.0
// Metrics out of what a step computed, by the rules of seqax's logging.
#pragma once

#include <string>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// Scalars f32 as numbers, other arrays f32 for histograms, named by their paths. Throws
/// invalid_argument for another dtype.
std::vector<Entry> entries_of(const Tree<HostTensor>& outputs);

/// "[2026-01-02 03:04:05] Step 7: {'.loss': 0.5}": the numbers among the entries, in UTC.
std::string seqax_line(const Record& record);

}  // namespace meshwright::metrics
