// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// Returns the actions of a run at its boundaries, in order, without performing them: "log 4",
/// "eval name 10". An update takes 10 seconds. An error of the agenda comes last.
std::string events(const cli::RunConfig& config);
/// Returns the events of a process that resumes at step 5, or at the last step.
std::string events_from_step_5(const cli::RunConfig& config);
std::string events_at_end(const cli::RunConfig& config);

}  // namespace meshwright::config_keys
