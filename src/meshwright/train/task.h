// SPDX-License-Identifier: Apache-2.0
// What the trainer trains: a model with a loss and ways to judge it. Everything is a traced
// function; the trainer puts it together with optimizer, mesh and data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/base/tree.h"
#include "meshwright/data/integer_range.h"
#include "meshwright/graph/axis_scope.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/value.h"
#include "meshwright/nn/init.h"
#include "meshwright/tensor/array_form.h"
#include "meshwright/tensor/host_tensor.h"
#include "meshwright/tensor/param_spec.h"
#include "meshwright/train/generation.h"

namespace meshwright::train {

using autodiff::ValueTree;
using graph::Value;

/// A mean, and how much was averaged: 0 for nothing. Both are f32 scalars. Means of microbatches,
/// batches and processes are put together by their weights.
struct Weighted {
  Value mean;
  Value weight;
};
using Metrics = std::map<std::string, Weighted>;

/// The mean over the whole batch of values of its examples or tokens, weighted if there are weights
/// of the same shape.
Weighted mean(Value x, std::optional<Value> weights = std::nullopt);

/// What a traced function of a task gets.
struct TaskInput {
  const ValueTree& params;
  const ValueTree& batch;  // as the source's spec says
  graph::random::Key key;  // for dropout and sampling
  bool is_training = false;
  /// The dtype that parameters and inputs were cast to, if any. ModelTask computes in it where it
  /// is narrower than the task's own.
  std::optional<DType> cast_to = {};

  /// An array of the batch. Throws not_found, with those there are.
  Value array(std::string_view name) const { return batch.at(name).value(); }
};

struct TaskLoss {
  /// What is minimized: the mean over the batch, with what it is the mean of (tokens, examples).
  /// Reduce over the batch by global_sum and global_mean only.
  Weighted loss;
  Metrics metrics = {};  // beside the loss
  /// Arrays of floats whose histograms are told together with the metrics.
  std::map<std::string, Value> histograms = {};
  /// New values for parameters that no optimizer changes, such as statistics of a batch norm.
  ValueTree state_updates = {};
};

/// What an evaluator does with each batch.
struct EvalOutput {
  Metrics metrics = {};
  ValueTree outputs = {};  // arrays for `describe`, such as decoded tokens
};
struct EvalMethod {
  std::function<EvalOutput(const TaskInput&)> run;
  /// Lines for people about the examples of one batch, one for each row or none at all; may be
  /// empty.
  std::function<std::vector<std::string>(const Tree<HostTensor>& batch,
                                         const Tree<HostTensor>& outputs)>
      describe = {};
};

class Task {
 public:
  virtual ~Task() = default;

  /// For messages.
  virtual std::string name() const = 0;
  virtual ParamSpecs param_specs() const = 0;
  /// Sizes of named axes, for all tracing.
  virtual graph::AxisSizes dims() const { return {}; }
  /// Initial values of the parameters, by these rules where they match.
  virtual ValueTree init(const graph::random::Key& key, const nn::InitRules& rules) const = 0;
  virtual TaskLoss loss(const TaskInput& input) const = 0;
  /// By name; an evaluator's config names one.
  virtual std::map<std::string, EvalMethod> eval_methods() const;
  /// How another system, named as its format of checkpoints, has the parameters; empty: it has no
  /// such model.
  virtual ArrayForms forms_in(std::string_view /*format*/) const { return {}; }
  /// What one training example counts as in "tokens per second"; 0: count examples.
  virtual std::int64_t tokens_per_example() const { return 0; }
  /// The most positions that a prompt and what continues it have together; absent: any number.
  virtual std::optional<std::int64_t> max_positions() const { return std::nullopt; }
  /// How many tokens the model knows: those of prompts are 0 to this - 1; absent: it knows none.
  virtual std::optional<std::int64_t> num_tokens() const { return std::nullopt; }
  /// What integers the batches may have; checked on the host before each batch is used.
  virtual std::vector<data::IntegerRange> integer_ranges() const { return {}; }
  /// Continues sequences, for `meshwright generate`. Throws unimplemented unless overridden.
  virtual Continuations generate(const GenerateInput& input, const GenerateOptions& options) const;
};

/// The metrics of Task::loss, outside of training.
EvalMethod loss_method(const Task& task);

}  // namespace meshwright::train
