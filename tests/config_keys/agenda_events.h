// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// What a run does at its boundaries, in order, without doing it: "log 4", "eval name 10". An
/// update takes 10 seconds. An error of the agenda comes last.
std::string events(const cli::RunConfig& config);
/// Those of a process that resumes at step 5, or at the last step.
std::string events_from_step_5(const cli::RunConfig& config);
std::string events_at_end(const cli::RunConfig& config);

}  // namespace meshwright::config_keys
