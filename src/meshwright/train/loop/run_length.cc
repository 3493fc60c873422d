// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/run_length.h"

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

namespace meshwright::train {
namespace {

optim::RunLength length_of(std::int64_t batch_size,
                           const Task& task,
                           const config::OrEndless<optim::DurationConfig>& max_step,
                           std::function<std::optional<std::int64_t>()> epoch_examples) {
  optim::RunLength out{.batch_examples = batch_size, .epoch_examples = std::move(epoch_examples)};
  if (task.tokens_per_example() > 0) out.example_tokens = task.tokens_per_example();
  if (max_step) out.total_steps = std::llround(optim::steps_of(*max_step, out, "max_step"));
  return out;
}

}  // namespace

optim::RunLength run_length(const data::SourcePtr& source,
                            const Task& task,
                            const config::OrEndless<optim::DurationConfig>& max_step) {
  return length_of(data::batch_size(*source), task, max_step,
                   [source] { return data::examples_per_pass(*source); });
}

optim::RunLength run_length_with_epochs(const data::Source& source,
                                        const Task& task,
                                        const config::OrEndless<optim::DurationConfig>& max_step,
                                        std::int64_t batches_per_epoch) {
  const std::int64_t batch_size = data::batch_size(source);
  return length_of(batch_size, task, max_step,
                   [size = batches_per_epoch * batch_size] { return size; });
}

}  // namespace meshwright::train
