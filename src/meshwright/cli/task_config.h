// SPDX-License-Identifier: Apache-2.0
// The table [task] of a config: one of the tasks, selected by `type`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "meshwright/data/config/source_config.h"
#include "meshwright/nn/module.h"
#include "meshwright/tasks/image_classification.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/tasks/seq2seq.h"

namespace meshwright::cli {

using TaskChoice =
    std::variant<tasks::LmConfig, tasks::ImageClassificationConfig, tasks::Seq2SeqConfig>;
struct TaskConfig : TaskChoice {
  using TaskChoice::TaskChoice;
};

/// Returns a task's model for this data.
std::unique_ptr<nn::Module> make_model(const TaskConfig& config, const data::Source& source);

/// Sets the vocabulary size of the model, if it is `auto`, to the number of tokens of the data.
TaskConfig with_vocab(TaskConfig config, std::optional<std::int64_t> num_tokens);

/// Returns the task. Throws invalid_argument if it cannot be trained on this data.
std::shared_ptr<const train::Task> make_task(const TaskConfig& config,
                                             const data::Source& source,
                                             const data::SourceConfig& data,
                                             const data::RunData& run = {});

}  // namespace meshwright::cli
