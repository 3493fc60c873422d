// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/offline/dry_run.h"

namespace meshwright::cli {

/// On stdout, for people or as one JSON object.
void print_dry_run(const train::Job& job, const train::DryRun& found, bool as_json);

}  // namespace meshwright::cli
