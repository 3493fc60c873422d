// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/task_config.h"

#include "meshwright/data/arithmetic.h"
#include "meshwright/data/lm_batch.h"

namespace meshwright::cli {
namespace {

std::optional<tasks::LmContinuation> arithmetic_continuation(const data::SourceConfig& data) {
  const auto* config = std::get_if<data::ArithmeticConfig>(&data);
  if (config == nullptr) return std::nullopt;
  data::ArithmeticText text(static_cast<int>(config->num_digits));
  tasks::LmContinuation out{.prompt_len = text.question_length()};
  out.shown = [text](std::span<const std::int32_t> prompt, std::span<const std::int32_t> answer) {
    std::optional<data::Addition> problem = text.find_problem(prompt);
    return problem ? text.shown(*problem, answer) : std::string("(padding)");
  };
  return out;
}

std::shared_ptr<const train::Task> make_task(const tasks::LmConfig& config,
                                             const data::Source& source,
                                             const data::SourceConfig& data) {
  const data::BatchSpec* inputs = source.spec().find(data::kInputs);
  MW_CHECK(inputs != nullptr, "task lm: the data '", source.name(), "' has no inputs");
  return std::make_shared<tasks::LmTask>(config, inputs->value().type.dims.at(1),
                                         arithmetic_continuation(data));
}

}  // namespace

std::shared_ptr<const train::Task> make_task(const TaskConfig& config,
                                             const data::Source& source,
                                             const data::SourceConfig& data) {
  return std::visit([&](const auto& task) { return make_task(task, source, data); },
                    static_cast<const TaskChoice&>(config));
}

}  // namespace meshwright::cli
