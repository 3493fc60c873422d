// SPDX-License-Identifier: Apache-2.0
// Axes: batch, classes.
#include "meshwright/tasks/image_classification.h"

#include <utility>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/nn/losses.h"
#include "meshwright/tasks/batch_arrays.h"
#include "meshwright/train/task/model_outputs.h"

namespace meshwright::tasks {
namespace {

using graph::Value;
using train::TaskInput;

constexpr const char* kPredicted = "predicted";

models::ImagePositions positions_of(PositionChoice choice) {
  return choice == PositionChoice::learned ? models::ImagePositions::learned
                                           : models::ImagePositions::sincos_2d;
}

models::Pooling pooling_of(PoolingChoice choice) {
  switch (choice) {
    case PoolingChoice::attention:
      return models::Pooling::attention;
    case PoolingChoice::mean:
      return models::Pooling::mean;
    case PoolingChoice::first:
      return models::Pooling::first;
  }
  return {};
}

}  // namespace

models::VitConfig model_config(const VitModelConfig& config, const data::ImageShape& images) {
  MW_CHECK(images.height % config.patch == 0 && images.width % config.patch == 0,
           "task image_classification: patches of ", config.patch, " x ", config.patch,
           " do not divide images of ", images.height, " x ", images.width,
           "\nset task.model.patch to another size");
  models::VitConfig out{.height = images.height,
                        .width = images.width,
                        .channels = images.channels,
                        .patch = config.patch,
                        .classes = config.classes,
                        .layers = config.layers,
                        .embed = config.embed,
                        .heads = config.heads,
                        .mlp = config.mlp,
                        .positions = positions_of(config.positions),
                        .pooling = pooling_of(config.pooling)};
  config.set(out);
  return out;
}

ImageClassificationTask::ImageClassificationTask(const ImageClassificationConfig& config,
                                                 const data::ImageShape& images,
                                                 std::vector<std::string> class_names)
    : ModelTask(model_config(config.model, images)),
      config_(config),
      class_names_(std::move(class_names)) {}

Value ImageClassificationTask::losses(Value logits, Value labels) const {
  const double smoothing = config_.label_smoothing;
  if (config_.loss == ClassifierLoss::softmax)
    return nn::cross_entropy(logits, labels, {.label_smoothing = smoothing});
  Value targets = graph::one_hot(labels, config_.model.classes, logits.dtype());
  targets = targets * (1 - smoothing) + smoothing / static_cast<double>(config_.model.classes);
  return nn::sigmoid_cross_entropy(logits, targets);
}

std::vector<data::IntegerRange> ImageClassificationTask::integer_ranges() const {
  return {{std::string(data::kLabels), config_.model.classes, std::string(data::kExampleWeight)}};
}

train::TaskLoss ImageClassificationTask::loss(const TaskInput& input) const {
  nn::Ctx p = context(input);
  Value labels = input.array(data::kLabels);
  Value logits = model().logits(p, input.array(data::kImages));
  Value weights = example_weights(input.batch, labels.dim(0));
  Value weight = graph::global_sum(weights);
  train::TaskLoss out{.loss = {graph::global_mean(losses(logits, labels), weights), weight}};
  Value is_correct = graph::cast(nn::is_correct(logits, labels), f32);
  out.metrics["accuracy"] = {graph::global_mean(is_correct, weights), weight};
  train::add_outputs(p.outputs(), out);
  return out;
}

std::map<std::string, train::EvalMethod> ImageClassificationTask::eval_methods() const {
  train::EvalMethod classify_method{
      .run = [this](const TaskInput& input) { return classify(input); },
      .describe = [this](const Tree<HostTensor>& batch,
                         const Tree<HostTensor>& outputs) { return describe(batch, outputs); }};
  return {{"loss", train::loss_method(*this)}, {"classify", std::move(classify_method)}};
}

train::EvalOutput ImageClassificationTask::classify(const TaskInput& input) const {
  nn::Ctx p = context(input);
  Value labels = input.array(data::kLabels);
  Value predicted = graph::argmax(model().logits(p, input.array(data::kImages)), 1);
  Value weights = example_weights(input.batch, labels.dim(0));
  Value is_right = graph::cast(graph::equal(predicted, labels), f32);
  train::EvalOutput out;
  out.metrics["accuracy"] = {graph::global_mean(is_right, weights), graph::global_sum(weights)};
  out.outputs[kPredicted] = predicted;
  return out;
}

std::string ImageClassificationTask::class_name(std::int32_t label) const {
  const bool has_name = label >= 0 && label < std::ssize(class_names_);
  return has_name ? class_names_[static_cast<std::size_t>(label)] : str("class ", label);
}

std::vector<std::string> ImageClassificationTask::describe(const Tree<HostTensor>& batch,
                                                           const Tree<HostTensor>& outputs) const {
  std::vector<std::string> out;
  auto labels = batch.at(data::kLabels).value().values<std::int32_t>();
  auto predicted = outputs.at(kPredicted).value().values<std::int32_t>();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    out.push_back(class_name(predicted[row]));
    if (predicted[row] != labels[row]) out.back() += str(" (", class_name(labels[row]), ")");
  }
  return out;
}

}  // namespace meshwright::tasks
