// SPDX-License-Identifier: Apache-2.0
// Image classification with a ViT, on the batches described in data/core/image_batch.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/type_of.h"
#include "meshwright/data/core/image_batch.h"
#include "meshwright/models/vit.h"
#include "meshwright/tasks/compute_config.h"
#include "meshwright/tasks/stack_config.h"
#include "meshwright/train/task/model_task.h"

namespace meshwright::tasks {

enum class ClassifierLoss { softmax, sigmoid };
inline config::Choices<ClassifierLoss> config_choices(ClassifierLoss) {
  return {{"softmax", ClassifierLoss::softmax}, {"sigmoid", ClassifierLoss::sigmoid}};
}

enum class PositionChoice { learned, sincos_2d };
inline config::Choices<PositionChoice> config_choices(PositionChoice) {
  return {{"learned", PositionChoice::learned}, {"sincos_2d", PositionChoice::sincos_2d}};
}

enum class PoolingChoice { attention, mean, first };
inline config::Choices<PoolingChoice> config_choices(PoolingChoice) {
  return {{"attention", PoolingChoice::attention},
          {"mean", PoolingChoice::mean},
          {"first", PoolingChoice::first}};
}

/// Config of a model, except for the image size, which comes from the dataset.
struct VitModelConfig : StackConfig {
  std::int64_t patch = 16, classes = 1000, layers = 12, embed = 768, heads = 12, mlp = 3072;
  PositionChoice positions = PositionChoice::learned;
  PoolingChoice pooling = PoolingChoice::mean;

  void fields(auto& f) {
    f.required("classes", classes, config::kPositive, "Number of classes.");
    f.optional("patch", patch, config::kPositive, "Height and width of a patch.").unit("pixels");
    f.optional("layers", layers, config::kPositive, "Number of layers.");
    f.optional("embed", embed, config::kPositive, "Width of the residual stream.");
    f.optional("heads", heads, config::kPositive,
               "Number of attention heads, which share `embed`.");
    f.optional("mlp", mlp, config::kPositive, "Hidden size of the MLPs.");
    f.optional("positions", positions, "Type of position embedding.");
    f.optional("pooling", pooling,
               "Pooling of the patches into one vector: attention with a learned query, their "
               "mean, or a first token.");
    stack_fields(f);
    f.check(
        "heads", [this] { return embed % heads == 0; }, "divide embed");
  }
};
models::VitConfig model_config(const VitModelConfig& config, const data::ImageShape& images);

struct ImageClassificationConfig : ComputeConfig {
  static constexpr char kType[] = "image_classification";
  VitModelConfig model;
  ClassifierLoss loss = ClassifierLoss::softmax;
  double label_smoothing = 0;

  void fields(auto& f) {
    f.required("model", model, "Vision transformer.");
    compute_fields(f);
    f.optional("loss", loss, "`softmax`: exactly one class. `sigmoid`: any number of classes.");
    f.optional("label_smoothing", label_smoothing, config::kBelowOne,
               "Probability mass spread evenly over all classes.");
  }
};

/// Evaluation methods: "loss", which also reports accuracy, and "classify", which reports accuracy
/// and prints the predicted classes.
class ImageClassificationTask : public train::ModelTask<models::Vit> {
 public:
  /// `class_names` is for console output and may be empty.
  ImageClassificationTask(const ImageClassificationConfig& config,
                          const data::ImageShape& images,
                          std::vector<std::string> class_names = {});

  std::string name() const override { return "image_classification"; }
  train::TaskLoss loss(const train::TaskInput& input) const override;
  std::map<std::string, train::EvalMethod> eval_methods() const override;
  DType compute_dtype() const override { return config_.dtype(); }
  std::vector<data::IntegerRange> integer_ranges() const override;

 private:
  graph::Value losses(graph::Value logits, graph::Value labels) const;
  train::EvalOutput classify(const train::TaskInput& input) const;
  std::vector<std::string> describe(const Tree<HostTensor>& batch,
                                    const Tree<HostTensor>& outputs) const;
  std::string class_name(std::int32_t label) const;

  ImageClassificationConfig config_;
  std::vector<std::string> class_names_;
};

}  // namespace meshwright::tasks

namespace meshwright::config {
extern template const Type& type_of<tasks::ImageClassificationConfig>();
}
