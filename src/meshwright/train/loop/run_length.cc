// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/run_length.h"

#include <cmath>
#include <utility>

namespace meshwright::train {

optim::RunLength run_length(const data::SourcePtr& source,
                            const Task& task,
                            const config::OrEndless<optim::DurationConfig>& max_step) {
  return run_length_with_epochs(*source, task, max_step,
                                [source] { return data::examples_per_pass(*source); });
}

optim::RunLength run_length_with_epochs(
    const data::Source& source,
    const Task& task,
    const config::OrEndless<optim::DurationConfig>& max_step,
    std::function<std::optional<std::int64_t>()> epoch_examples) {
  optim::RunLength out{.batch_examples = data::batch_size(source),
                       .epoch_examples = std::move(epoch_examples)};
  if (task.tokens_per_example() > 0) out.example_tokens = task.tokens_per_example();
  if (max_step) out.total_steps = std::llround(optim::steps_of(*max_step, out, "max_step"));
  return out;
}

}  // namespace meshwright::train
