// SPDX-License-Identifier: Apache-2.0
// Observers that train for a few steps. Relative paths in a config refer to a temporary folder.
#pragma once

#include <string>

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// Returns the names of all files of a run.
std::string files(const cli::RunConfig& config);
/// Like files(), with the message of the error that ended the run.
std::string outcome(const cli::RunConfig& config);
/// Returns the first words of the distinct console lines, with # for numbers.
std::string messages(const cli::RunConfig& config);
/// Returns the console line with the FLOPs of a step and the peak of the devices.
std::string description_of_work(const cli::RunConfig& config);
/// Returns the last results of the evaluator `name`, with their weights.
std::string evaluation(const cli::RunConfig& config);
/// Returns the outputs that evaluators write.
std::string eval_outputs(const cli::RunConfig& config);

/// Returns the messages about restoring when a run of 4 steps, saved at each, continues with this
/// config for 2 more; the message of the error if there is one.
std::string resumption(const cli::RunConfig& config);

/// Returns "one thread" or "several threads", as used for writing the files of a checkpoint.
std::string savers(const cli::RunConfig& config);
/// Returns "one thread" or "several threads", as used for making the batches of a run.
std::string makers_of_batches(const cli::RunConfig& config);

/// Returns the arrays that init_state takes from another run, with digests, or the message of the
/// error. The folder `other` has a run of kLearnedPositions, `other_vit` one of kVit, both with
/// checkpoints of steps 1 and 2.
std::string built_state(const cli::RunConfig& config);

}  // namespace meshwright::config_keys
