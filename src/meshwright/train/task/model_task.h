// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <utility>

#include "meshwright/nn/context.h"
#include "meshwright/nn/initial_values.h"
#include "meshwright/nn/module.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// A task with a single model, which declares the parameters. Derived classes implement `name` and
/// `loss`:
///
///    nn::Ctx p = context(input);
///    Value logits = model()(p, input.array("points"));
template <std::derived_from<nn::Module> Model>
class ModelTask : public Task {
 public:
  /// Constructs the model from `args`. The model is never copied: modules must not move.
  template <typename... Args>
  requires std::constructible_from<Model, Args...>
  explicit ModelTask(Args&&... args) : model_(std::forward<Args>(args)...) {}

  const Model& model() const { return model_; }
  const nn::Module* find_model() const override { return &model_; }

  ParamSpecs param_specs() const override { return nn::param_specs(model_); }
  graph::AxisSizes dims() const override { return model_.dims(); }
  ValueTree init(const graph::random::Key& key, const nn::InitRules& rules) const override {
    return nn::initial_values(model_, key, {.rules = rules});
  }
  /// Dtype of activations, and of parameters where they are used.
  virtual DType compute_dtype() const { return f32; }

 protected:
  /// Returns the context for one call of the model.
  nn::Ctx context(const TaskInput& input) const {
    return nn::Ctx(
        model_, input.params,
        {.is_training = input.is_training, .compute_dtype = dtype_for(input), .key = input.key});
  }
  nn::Ctx context(const GenerateInput& input) const {
    return nn::Ctx(model_, input.params, {.compute_dtype = compute_dtype(), .key = input.key});
  }

 private:
  DType dtype_for(const TaskInput& input) const {
    const DType own = compute_dtype();
    return input.cast_to && byte_size(*input.cast_to) < byte_size(own) ? *input.cast_to : own;
  }

  Model model_;
};

}  // namespace meshwright::train
