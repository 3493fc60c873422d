// SPDX-License-Identifier: Apache-2.0
// Converts the outputs of a step to metrics, following the logging rules of seqax.
#pragma once

#include <string>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// Returns f32 scalars as numbers and other f32 arrays as histograms, named by path. Throws
/// invalid_argument for any other dtype.
std::vector<Entry> entries_of(const Tree<HostTensor>& outputs);

/// Returns text such as "[2026-01-02 03:04:05] Step 7: {'.loss': 0.5}": the time in UTC and the
/// numbers among the entries.
std::string seqax_line(const Record& record);

}  // namespace meshwright::metrics
