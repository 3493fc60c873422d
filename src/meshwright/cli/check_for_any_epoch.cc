// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/check_for_any_epoch.h"

#include <cstdint>
#include <exception>
#include <string>

#include "meshwright/train/loop/run_length.h"
#include "meshwright/train/trainer/run_parts.h"

namespace meshwright::cli {
namespace {

struct Found {
  std::exception_ptr error;  // null: none
  std::string message;
};

Found check(const RunConfig& config, train::Job& job, std::int64_t batches_per_epoch) {
  try {
    const optim::RunLength run = train::run_length_with_epochs(
        *job.source, *job.task, config.train.max_step,
        [&] { return batches_per_epoch * data::batch_size(*job.source); });
    job.learner =
        optim::learner_options(config.optimizer, config.learner, run, job.task->param_specs());
    train::check_settings(job, run);
    return {};
  } catch (const Error& error) {
    return {std::current_exception(), error.what()};
  }
}

}  // namespace

void check_for_any_epoch(const RunConfig& config, train::Job job) {
  // Messages state the numbers of steps that are wrong, so an error that depends on the epoch has
  // another message if the epoch is longer.
  const Found with_short = check(config, job, 1);
  const Found with_long = check(config, job, 1'000'000);
  if (with_short.error && with_short.message == with_long.message)
    std::rethrow_exception(with_short.error);
}

}  // namespace meshwright::cli
