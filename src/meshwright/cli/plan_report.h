// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "meshwright/cli/plan_choices.h"

namespace meshwright::cli {

/// Prints to stdout what the config needs by the estimate: memory, the largest arrays, collectives
/// and time.
void print_config_needs(const Plan& plan);
/// Prints a table of the first rows to stdout, and whether the config fits.
void print_rows(const Plan& plan, std::size_t num_rows);
/// Prints everything to stdout as one JSON object.
void print_json(const Plan& plan);

}  // namespace meshwright::cli
