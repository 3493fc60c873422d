// SPDX-License-Identifier: Apache-2.0
// A task: a model with its loss and evaluation methods, as traced functions. The trainer combines
// them with an optimizer, a mesh and data.
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
#include "meshwright/data/core/integer_range.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/nn/init.h"
#include "meshwright/nn/module.h"
#include "meshwright/tensor/host_tensor.h"
#include "meshwright/tensor/param_spec.h"
#include "meshwright/train/task/generation.h"

namespace meshwright::train {

using autodiff::ValueTree;
using graph::Value;

/// A mean and its weight, which is 0 for an empty mean. Both are f32 scalars. Means of
/// microbatches, batches and processes are combined by weight.
struct Weighted {
  Value mean;
  Value weight;
};
using Metrics = std::map<std::string, Weighted>;

/// Returns the mean over the whole batch of per-example or per-token values, optionally weighted.
Weighted mean(Value x, std::optional<Value> weights = std::nullopt);

/// Input of a task's traced functions.
struct TaskInput {
  const ValueTree& params;
  const ValueTree& batch;  // matches the source's spec
  graph::random::Key key;  // for dropout and sampling
  bool is_training = false;
  /// The dtype that parameters and inputs were cast to, if any. ModelTask computes in this dtype if
  /// it is narrower than the task's own.
  std::optional<DType> cast_to = {};

  /// Returns an array of the batch. Throws not_found, listing the available arrays, if there is
  /// none of this name.
  Value array(std::string_view name) const { return batch.at(name).value(); }
};

struct TaskLoss {
  /// The value to minimize: a mean over the batch, and its weight (tokens, examples). Reduce over
  /// the batch with global_sum and global_mean only.
  Weighted loss;
  Metrics metrics = {};  // in addition to the loss
  /// Float arrays whose histograms are reported with the metrics.
  std::map<std::string, Value> histograms = {};
  /// New values for parameters that no optimizer updates, such as batch-norm statistics.
  ValueTree state_updates = {};
};

/// Results of an evaluation method for one batch, as values in the traced graph.
struct EvalOutput {
  Metrics metrics = {};
  ValueTree outputs = {};  // arrays for `describe`, such as decoded tokens
};
/// An evaluation method: what an evaluator computes from each batch.
struct EvalMethod {
  /// Called once per evaluator to trace the program that then runs on every batch. Inputs and
  /// metrics are graph values, so compute with ops, not with host code. Metrics are averaged over
  /// the batches by weight.
  std::function<EvalOutput(const TaskInput&)> run;
  /// Called on the host after each batch to describe its examples for the console: one line per
  /// row, or no lines. May be absent.
  std::function<std::vector<std::string>(const Tree<HostTensor>& batch,
                                         const Tree<HostTensor>& outputs)>
      describe = {};
};

class Task {
 public:
  virtual ~Task() = default;

  /// Returns a name for messages.
  virtual std::string name() const = 0;
  virtual ParamSpecs param_specs() const = 0;
  /// Sizes of named axes, for all tracing.
  virtual graph::AxisSizes dims() const { return {}; }
  /// Returns initial parameters; `rules` take precedence where they match.
  virtual ValueTree init(const graph::random::Key& key, const nn::InitRules& rules) const = 0;
  virtual TaskLoss loss(const TaskInput& input) const = 0;
  /// Evaluation methods, keyed by the name that an evaluator's config uses.
  virtual std::map<std::string, EvalMethod> eval_methods() const;
  /// Returns the model, by which foreign systems recognise the task; nullptr if the model is not a
  /// module.
  virtual const nn::Module* find_model() const { return nullptr; }
  /// Tokens per training example, for "tokens per second". 0: report examples instead.
  virtual std::int64_t tokens_per_example() const { return 0; }
  /// Maximum length of a prompt plus its continuation. If absent, it is unlimited.
  virtual std::optional<std::int64_t> max_positions() const { return std::nullopt; }
  /// Vocabulary size, for checking prompts. If absent, the model has no tokens.
  virtual std::optional<std::int64_t> num_tokens() const { return std::nullopt; }
  /// Valid ranges of integers in batches, checked on the host before each batch is used.
  virtual std::vector<data::IntegerRange> integer_ranges() const { return {}; }
  /// Generates continuations, for `meshwright generate`. Throws unimplemented unless overridden.
  virtual Continuations generate(const GenerateInput& input, const GenerateOptions& options) const;
  /// True if the two functions below give the same continuations in parts, so that tokens can be
  /// read before the last one is made.
  virtual bool generates_in_parts(const GenerateOptions& /*options*/) const { return false; }
  /// Reads the prompts.
  virtual Unfinished begin_generation(const GenerateInput& input,
                                      const GenerateOptions& options) const;
  /// Generates up to `num_tokens` tokens, an s32, for every row.
  virtual Unfinished continue_generation(const GenerateInput& input,
                                         const Unfinished& unfinished,
                                         const Value& num_tokens,
                                         const GenerateOptions& options) const;
};

/// Returns a method that evaluates Task::loss and its metrics.
EvalMethod loss_method(const Task& task);

}  // namespace meshwright::train
