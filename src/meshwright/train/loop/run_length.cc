// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/run_length.h"

#include <cmath>

namespace meshwright::train {

optim::RunLength run_length(const data::Source& source,
                            const Task& task,
                            const config::OrEndless<optim::DurationConfig>& max_step) {
  return run_length(source, task.tokens_per_example(), max_step);
}

optim::RunLength run_length(const data::Source& source,
                            std::int64_t tokens_per_example,
                            const config::OrEndless<optim::DurationConfig>& max_step) {
  const std::int64_t batch_size = data::batch_size(source);
  optim::RunLength out{.batch_examples = batch_size};
  if (const std::optional<double> batches = data::batches_per_pass(source))
    out.epoch_examples = std::llround(*batches * static_cast<double>(batch_size));
  if (tokens_per_example > 0) out.example_tokens = tokens_per_example;
  if (max_step) out.total_steps = std::llround(optim::steps_of(*max_step, out, "max_step"));
  return out;
}

}  // namespace meshwright::train
