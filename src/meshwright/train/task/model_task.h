// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <utility>

#include "meshwright/nn/context.h"
#include "meshwright/nn/initial_values.h"
#include "meshwright/nn/module.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// A task of one model, which says what its parameters are. What is left to write is `name` and
/// `loss`:
///
///   nn::Ctx p = context(input);
///   Value logits = model()(p, input.array("points"));
template <std::derived_from<nn::Module> Model>
class ModelTask : public Task {
 public:
  /// `args` are the model's. It is not copied: modules stay where they were made.
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
  /// Of activations, and of parameters where they are used.
  virtual DType compute_dtype() const { return f32; }

 protected:
  /// For one call of the model.
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
