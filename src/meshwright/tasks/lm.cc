// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (positions of the inputs).
#include "meshwright/tasks/lm.h"

#include <utility>

#include "meshwright/data/lm_batch.h"
#include "meshwright/graph/global.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/nn/initial_values.h"
#include "meshwright/nn/losses.h"
#include "meshwright/tasks/batch_arrays.h"
#include "meshwright/tasks/continuations.h"
#include "meshwright/train/model_outputs.h"

namespace meshwright::tasks {
namespace {

using graph::Value;
using train::TaskInput;
using train::ValueTree;

models::DecoderLmConfig of_style(LmStyle style) {
  switch (style) {
    case LmStyle::llama:
      return models::DecoderLmConfig::llama();
    case LmStyle::seqax:
      return models::DecoderLmConfig::seqax();
    case LmStyle::gpt2:
      return models::DecoderLmConfig::gpt2();
  }
  return {};
}

}  // namespace

models::DecoderLmConfig model_config(const LmModelConfig& config) {
  models::DecoderLmConfig out = of_style(config.style);
  out.vocab = config.vocab;
  set_if(out.layers, config.layers);
  set_if(out.embed, config.embed);
  set_if(out.kv, config.kv);
  set_if(out.q, config.q);
  set_if(out.dim, config.dim);
  set_if(out.mlp, config.mlp);
  set_if(out.max_len, config.max_len);
  set_if(out.tied_embedding, config.tied_embedding);
  set_if(out.rope_max_timescale, config.rope_max_timescale);
  config.set(out);
  return out;
}

LmTask::LmTask(const LmConfig& config, std::int64_t len, std::optional<LmContinuation> continuation)
    : config_(config),
      len_(len),
      continuation_(std::move(continuation)),
      model_(model_config(config.model)) {}

DType LmTask::compute_dtype() const {
  return *find_dtype(config_.compute_dtype);
}

ParamSpecs LmTask::param_specs() const {
  return nn::param_specs(model_);
}

ValueTree LmTask::init(const graph::random::Key& key) const {
  return nn::initial_values(model_, key);
}

train::TaskLoss LmTask::loss(const TaskInput& input) const {
  nn::Ctx p(model_, input.params,
            {.is_training = input.is_training, .compute_dtype = compute_dtype(), .key = input.key});
  Value targets = array(input.batch, data::kTargets);
  Value weights = array(input.batch, data::kWeights);
  Value logits = model_.logits(p, {.ids = array(input.batch, data::kInputs)});
  Value losses = nn::cross_entropy(
      logits, targets, {.label_smoothing = config_.label_smoothing, .z_loss = config_.z_loss});
  Value weight = graph::global_sum(weights);
  train::TaskLoss out{.loss = {graph::global_mean(losses, weights), weight}};
  Value is_correct = graph::cast(nn::is_correct(logits, targets), f32);
  out.metrics["accuracy"] = {graph::global_mean(is_correct, weights), weight};
  train::add_outputs(p.outputs(), out);
  return out;
}

std::map<std::string, train::EvalMethod> LmTask::eval_methods() const {
  std::map<std::string, train::EvalMethod> out = {{"loss", train::loss_method(*this)}};
  if (!continuation_) return out;
  out["exact_match"] = {
      .run = [this](const TaskInput& input) { return exact_match(input); },
      .describe = [this](const Tree<HostTensor>& batch,
                         const Tree<HostTensor>& outputs) { return describe(batch, outputs); }};
  return out;
}

train::EvalOutput LmTask::exact_match(const TaskInput& input) const {
  const std::int64_t prompt_len = continuation_->prompt_len;
  Value inputs = array(input.batch, data::kInputs);
  Value targets = array(input.batch, data::kTargets);
  Value weights = array(input.batch, data::kWeights);
  const std::int64_t rows = inputs.dim(0);
  const std::int64_t len = inputs.dim(1) + 1;  // the last target belongs to the text
  nn::Ctx p(model_, input.params, {.compute_dtype = compute_dtype(), .key = input.key});
  models::DecodeModel decode = model_.decode_model(p, rows, len);
  Value lengths = graph::constant(prompt_len, s32, {rows});
  models::SampleOptions greedy;
  greedy.max_len = len;
  greedy.temperature = 0;
  models::Decoded decoded =
      models::sample(decode, graph::take_slice(inputs, 1, 0, prompt_len), lengths, greedy);
  // Token i + 1 is the target at position i.
  Value given = graph::take_slice(decoded.ids, 1, prompt_len);
  Value wanted = graph::take_slice(targets, 1, prompt_len - 1);
  Value counts = graph::take_slice(weights, 1, prompt_len - 1) > 0.0;
  Value is_right = graph::logical_or(graph::equal(given, wanted), graph::logical_not(counts));
  Value all_right = graph::cast(graph::reduce_and(is_right, {1}), f32);
  Value of_rows = example_weights(input.batch, rows);
  train::EvalOutput out;
  out.metrics["exact_match"] = {graph::global_mean(all_right, of_rows), graph::global_sum(of_rows)};
  out.outputs["continuation"] = given;
  return out;
}

train::Continuations LmTask::generate(const train::GenerateInput& input,
                                      const train::GenerateOptions& options) const {
  const models::DecoderLmConfig& model = model_.config();
  const std::int64_t max_len = input.prompts.dim(1) + options.max_tokens;
  MW_CHECK(model.position != models::PositionKind::learned || max_len <= model.max_len,
           "generate: prompts of ", input.prompts.dim(1), " tokens and ", options.max_tokens,
           " more are longer than the ", model.max_len,
           " positions of the model\nfewer: --max-tokens N");
  nn::Ctx p(model_, input.params, {.compute_dtype = compute_dtype(), .key = input.key});
  auto decode_model = [&](std::int64_t num_copies, std::int64_t len) {
    return model_.decode_model(p, input.prompts.dim(0) * num_copies, len);
  };
  return continue_prompts(decode_model, {input.prompts, input.lengths}, input.key, options);
}

std::vector<std::string> LmTask::describe(const Tree<HostTensor>& batch,
                                          const Tree<HostTensor>& outputs) const {
  std::vector<std::string> out;
  if (!continuation_->shown) return out;
  const HostTensor& inputs = batch.at(data::kInputs).value();
  const HostTensor& continuation = outputs.at("continuation").value();
  const auto len = static_cast<std::size_t>(inputs.dims()[1]);
  const auto continued = static_cast<std::size_t>(continuation.dims()[1]);
  for (std::size_t row = 0; row < static_cast<std::size_t>(inputs.dims()[0]); ++row) {
    out.push_back(continuation_->shown(
        inputs.values<std::int32_t>().subspan(row * len,
                                              static_cast<std::size_t>(continuation_->prompt_len)),
        continuation.values<std::int32_t>().subspan(row * continued, continued)));
  }
  return out;
}

}  // namespace meshwright::tasks
