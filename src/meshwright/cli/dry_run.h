// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/offline/dry_run.h"

namespace meshwright::cli {

/// Prints the report to stdout, as text or as one JSON object.
void print_dry_run(const train::Job& job, const train::DryRun& found, bool as_json);

}  // namespace meshwright::cli
