// SPDX-License-Identifier: Apache-2.0
// Observers that train for a few steps. Relative paths of a config are in a temporary folder.
#pragma once

#include <string>

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// The names of all files that a run leaves.
std::string files(const cli::RunConfig& config);
/// The same, and the message of the error that ends it.
std::string outcome(const cli::RunConfig& config);
/// The first words of the different lines on the console, with # for numbers.
std::string messages(const cli::RunConfig& config);
/// The different names of metrics in metrics.jsonl.
std::string metric_names(const cli::RunConfig& config);
/// The last results of the evaluator `name`, with their weights.
std::string evaluation(const cli::RunConfig& config);
/// The outputs that evaluators write.
std::string eval_outputs(const cli::RunConfig& config);

/// The messages about what is restored when a run of 4 steps, saved at each, is started again with
/// this config for 2 more; the message of the error if there is one.
std::string resumption(const cli::RunConfig& config);

/// Whether one thread or several write the files of a checkpoint.
std::string savers(const cli::RunConfig& config);
/// Whether one thread or several make the batches of a run.
std::string makers_of_batches(const cli::RunConfig& config);

/// The arrays that init_state takes from another run, with digests, or the message of the error. In
/// the folder `other` is a run of kLearnedPositions, in `other_vit` one of kVit, both with
/// checkpoints of steps 1 and 2.
std::string built_state(const cli::RunConfig& config);

}  // namespace meshwright::config_keys
