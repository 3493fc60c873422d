// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/run_length.h"

#include <cmath>

namespace meshwright::train {

optim::RunLength run_length(const data::Source& source,
                            const Task& task,
                            const config::OrEndless<optim::DurationConfig>& max_step) {
  const std::int64_t batch_size = data::batch_size(source);
  optim::RunLength out{.batch_examples = batch_size};
  if (const std::optional<double> batches = data::batches_per_pass(source))
    out.epoch_examples = std::llround(*batches * static_cast<double>(batch_size));
  if (std::int64_t tokens = task.tokens_per_example(); tokens > 0) out.example_tokens = tokens;
  if (max_step) out.total_steps = std::llround(optim::steps_of(*max_step, out, "max_step"));
  return out;
}

}  // namespace meshwright::train
