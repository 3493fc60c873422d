// SPDX-License-Identifier: Apache-2.0
// Observers that neither compile nor run a program.
#pragma once

#include <string>

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// Returns the StableHLO text of an update, with kernels placed as for compilation.
std::string step_program(const cli::RunConfig& config);
/// Like step_program(), but returns the message of an error.
std::string step_program_or_error(const cli::RunConfig& config);
/// Like step_program(), for a model that declares scales of the weight decay and roles of
/// dimensions.
std::string declaring_step_program(const cli::RunConfig& config);
/// Returns the StableHLO text of the program that initialises the state.
std::string init_program(const cli::RunConfig& config);
/// Returns the StableHLO text of the evaluator `name`.
std::string eval_program(const cli::RunConfig& config);

/// Return a digest of the first two batches of training, or of the evaluator `name`.
std::string batches(const cli::RunConfig& config);
std::string eval_batches(const cli::RunConfig& config);

/// Returns the mesh, or the message of the error.
std::string placement(const cli::RunConfig& config);
/// Returns the number of devices that are opened, and the environment of their plugin.
std::string devices(const cli::RunConfig& config);

}  // namespace meshwright::config_keys
