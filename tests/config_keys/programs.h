// SPDX-License-Identifier: Apache-2.0
// Observers that neither compile nor run a program.
#pragma once

#include <string>

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// The StableHLO text of an update, with kernels placed as for compiling.
std::string step_program(const cli::RunConfig& config);
/// The same, or the message of the error.
std::string step_program_or_error(const cli::RunConfig& config);
/// The same where the model declares scales of the weight decay and roles of dimensions.
std::string declaring_step_program(const cli::RunConfig& config);
/// The StableHLO text of the program that makes the initial state.
std::string init_program(const cli::RunConfig& config);
/// The StableHLO text of the evaluator `name`.
std::string eval_program(const cli::RunConfig& config);

/// A digest of the first two batches of training, or of the evaluator `name`.
std::string batches(const cli::RunConfig& config);
std::string eval_batches(const cli::RunConfig& config);

/// The mesh, or the message of the error.
std::string placement(const cli::RunConfig& config);
/// The number of devices that are opened, and the environment of their plugin.
std::string devices(const cli::RunConfig& config);

}  // namespace meshwright::config_keys
