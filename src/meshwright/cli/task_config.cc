// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/task_config.h"

#include "meshwright/data/core/seq2seq_batch.h"
#include "meshwright/data/generated/arithmetic.h"
#include "meshwright/data/generated/shapes.h"
#include "meshwright/systems/list/all_systems.h"

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

// Throws invalid_argument if the data has no such array.
const data::ArraySpec& array_of(const data::Source& source,
                                std::string_view array,
                                const char* task) {
  const data::BatchSpec* found = source.spec().find(array);
  MW_CHECK(found != nullptr, "task ", task, ": the data '", source.name(), "' has no ", array);
  return found->value();
}

void check_vocab(std::int64_t vocab, const data::SourceConfig& data, const data::RunData& run) {
  const std::int64_t needed = data::num_tokens(data, run).value_or(0);
  MW_CHECK(vocab >= needed, "task.model.vocab is ", vocab, ", but the data has ", needed,
           " tokens");
}

std::optional<data::TextCodec> text_codec_of(const data::RunData& run) {
  if (!run.text) return std::nullopt;
  return run.text->codec();
}

std::vector<std::string> class_names(const data::SourceConfig& data) {
  if (!std::holds_alternative<data::ShapesConfig>(data)) return {};
  return {std::begin(data::kShapeNames), std::end(data::kShapeNames)};
}

data::ImageShape image_shape(const data::Source& source) {
  const Dims& dims = array_of(source, data::kImages, "image_classification").type.dims;
  return {.height = dims[1], .width = dims[2], .channels = dims[3]};
}

std::unique_ptr<nn::Module> make_model(const tasks::LmConfig& config,
                                       const data::Source& /*source*/) {
  return std::make_unique<models::DecoderLm>(model_config(config.model));
}

std::unique_ptr<nn::Module> make_model(const tasks::ImageClassificationConfig& config,
                                       const data::Source& source) {
  return std::make_unique<models::Vit>(model_config(config.model, image_shape(source)));
}

std::unique_ptr<nn::Module> make_model(const tasks::Seq2SeqConfig& config,
                                       const data::Source& /*source*/) {
  return std::make_unique<models::EncoderDecoder>(model_config(config.model));
}

std::shared_ptr<const train::Task> make_task(const tasks::LmConfig& config,
                                             const data::Source& source,
                                             const data::SourceConfig& data,
                                             const data::RunData& run) {
  const data::ArraySpec& inputs = array_of(source, data::kInputs, "lm");
  check_vocab(config.model.vocab.value_or(0), data, run);
  tasks::LmConfig complete = config;
  complete.set_defaults(train::defaults_for(systems::all_systems(), *make_model(config, source)));
  return std::make_shared<tasks::LmTask>(complete, inputs.type.dims.at(1),
                                         arithmetic_continuation(data), text_codec_of(run));
}

std::shared_ptr<const train::Task> make_task(const tasks::ImageClassificationConfig& config,
                                             const data::Source& source,
                                             const data::SourceConfig& data,
                                             const data::RunData& /*run*/) {
  const data::ImageShape images = image_shape(source);
  const std::int64_t num_classes = data::num_classes(data).value_or(0);
  MW_CHECK(config.model.classes >= num_classes, "task.model.classes is ", config.model.classes,
           ", but the data has ", num_classes, " classes");
  return std::make_shared<tasks::ImageClassificationTask>(config, images, class_names(data));
}

std::shared_ptr<const train::Task> make_task(const tasks::Seq2SeqConfig& config,
                                             const data::Source& source,
                                             const data::SourceConfig& data,
                                             const data::RunData& run) {
  array_of(source, data::kEncoderInputs, "seq2seq");
  check_vocab(config.model.vocab.value_or(0), data, run);
  const data::ArraySpec& targets = array_of(source, data::kTargets, "seq2seq");
  return std::make_shared<tasks::Seq2SeqTask>(config, targets.type.dims.at(1),
                                              data::text_codec(data, run));
}

}  // namespace

std::unique_ptr<nn::Module> make_model(const TaskConfig& config, const data::Source& source) {
  return std::visit([&](const auto& task) { return make_model(task, source); },
                    static_cast<const TaskChoice&>(config));
}

TaskConfig with_vocab(TaskConfig config, std::optional<std::int64_t> num_tokens) {
  auto set = [&](auto& task) {
    if constexpr (requires { task.model.vocab; })
      if (!task.model.vocab && num_tokens) task.model.vocab = *num_tokens;
  };
  std::visit(set, static_cast<TaskChoice&>(config));
  return config;
}

std::shared_ptr<const train::Task> make_task(const TaskConfig& config,
                                             const data::Source& source,
                                             const data::SourceConfig& data,
                                             const data::RunData& run) {
  return std::visit([&](const auto& task) { return make_task(task, source, data, run); },
                    static_cast<const TaskChoice&>(config));
}

}  // namespace meshwright::cli
