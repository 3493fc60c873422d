// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len (positions of the inputs).
#include "meshwright/tasks/lm.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/printable.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/tasks/bits_per_byte.h"
#include "meshwright/tasks/continuations.h"
#include "meshwright/tasks/sample_prompts.h"

namespace meshwright::tasks {
namespace {

using graph::Value;
using train::TaskInput;

models::DecoderLmConfig of_style(LmStyle style) {
  switch (style) {
    case LmStyle::llama:
      return models::DecoderLmConfig::llama();
    case LmStyle::seqax:
      return models::DecoderLmConfig::seqax();
    case LmStyle::gpt2:
      return models::DecoderLmConfig::gpt2();
    case LmStyle::fuji:
      return models::DecoderLmConfig::fuji();
  }
  return {};
}

// Outputs of the evaluation method "samples".
constexpr char kSampled[] = "sampled";
constexpr char kSampledLengths[] = "sampled_lengths";
constexpr char kSampledPrompts[] = "sampled_prompts";  // lengths

// Returns an array of the batch, or null if the batch lacks it.
Value optional_array(const TaskInput& input, std::string_view name) {
  return input.batch.find(name) == nullptr ? Value() : input.array(name);
}

}  // namespace

models::DecoderLmConfig model_config(const LmModelConfig& config) {
  models::DecoderLmConfig out = of_style(config.style);
  MW_CHECK(config.vocab, "task.model.vocab: the data does not say how many tokens it has");
  out.vocab = *config.vocab;
  set_if(out.layers, config.layers);
  set_if(out.embed, config.embed);
  set_if(out.kv, config.kv);
  set_if(out.q, config.q);
  set_if(out.dim, config.dim);
  set_if(out.mlp, config.mlp);
  set_if(out.max_len, config.max_len);
  set_if(out.window, config.window);
  set_if(out.tied_embedding, config.tied_embedding);
  set_if(out.rope_max_timescale, config.rope_max_timescale);
  config.set(out);
  return out;
}

void LmConfig::set_defaults(const train::SystemDefaults& defaults) {
  if (!pad_token_id) pad_token_id = defaults.padding_id;
}

LmTask::LmTask(const LmConfig& config,
               std::int64_t len,
               std::optional<LmContinuation> continuation,
               std::optional<data::TextCodec> codec)
    : ModelTask(model_config(config.model)),
      config_(config),
      len_(len),
      continuation_(std::move(continuation)),
      codec_(std::move(codec)) {}

std::vector<data::IntegerRange> LmTask::integer_ranges() const {
  const std::int64_t size = config_.model.vocab.value();
  std::vector<data::IntegerRange> out = {{std::string(data::kInputs), size},
                                         {.array = std::string(data::kTargets),
                                          .size = size,
                                          .weights = std::string(data::kWeights),
                                          .may_be_negative = config_.pad_token_id.has_value()}};
  if (const std::optional<std::int64_t> most = max_positions())
    out.push_back({std::string(data::kPositions), *most});
  return out;
}

// Returns the weight of each target: 0 for padding.
Value LmTask::weights(const TaskInput& input) const {
  Value given = input.array(data::kWeights);
  const std::optional<std::int64_t> padding = config_.pad_token_id;
  if (!padding) return given;
  Value targets = input.array(data::kTargets);
  Value counts = graph::logical_and(graph::not_equal(targets, *padding), targets >= 0);
  return graph::where(counts, given, 0);
}

train::TaskLoss LmTask::loss(const TaskInput& input) const {
  nn::Ctx p = context(input);
  kernels::Projection output =
      model().projection(p, {.ids = input.array(data::kInputs),
                             .segments = optional_array(input, data::kSegments),
                             .positions = optional_array(input, data::kPositions)});
  const PredictedTokens tokens = {.inputs = input.array(data::kInputs),
                                  .targets = input.array(data::kTargets),
                                  .weights = weights(input)};
  train::TaskLoss out = token_loss(output, tokens.targets, tokens.weights, config_, p.outputs());
  if (input.is_training || !codec_ || !codec_->token_sizes) return out;
  const bool is_cross_entropy = config_.label_smoothing == 0 && config_.z_loss == 0;
  const train::Weighted nats =
      is_cross_entropy ? out.loss : token_loss(output, tokens.targets, tokens.weights, {}, {}).loss;
  out.metrics["bits_per_byte"] = bits_per_byte(nats, tokens, codec_->token_sizes());
  return out;
}

std::map<std::string, train::EvalMethod> LmTask::eval_methods() const {
  std::map<std::string, train::EvalMethod> out = {{"loss", train::loss_method(*this)}};
  if (codec_) {
    out["samples"] = {
        .run = [this](const TaskInput& input) { return samples(input); },
        .describe = [this](const Tree<HostTensor>& /*batch*/,
                           const Tree<HostTensor>& outputs) { return describe_samples(outputs); }};
  }
  if (!continuation_) return out;
  out["exact_match"] = {
      .run = [this](const TaskInput& input) { return exact_match(input); },
      .describe = [this](const Tree<HostTensor>& batch,
                         const Tree<HostTensor>& outputs) { return describe(batch, outputs); }};
  return out;
}

train::EvalOutput LmTask::exact_match(const TaskInput& input) const {
  const std::int64_t prompt_len = continuation_->prompt_len;
  Value inputs = input.array(data::kInputs);
  Value targets = input.array(data::kTargets);
  const std::int64_t rows = inputs.dim(0);
  const std::int64_t len = inputs.dim(1) + 1;  // the last target is part of the text
  nn::Ctx p = context(input);
  models::DecodeModel decode = model().decode_model(p, rows, len);
  Value lengths = graph::constant(prompt_len, s32, {rows});
  models::SampleOptions greedy;
  greedy.max_len = len;
  greedy.temperature = 0;
  models::Decoded decoded =
      models::sample(decode, graph::take_slice(inputs, 1, 0, prompt_len), lengths, greedy);
  // Token i + 1 is the target at position i.
  Value given = graph::take_slice(decoded.ids, 1, prompt_len);
  Value wanted = graph::take_slice(targets, 1, prompt_len - 1);
  Value counts = graph::take_slice(weights(input), 1, prompt_len - 1) > 0.0;
  train::EvalOutput out = exact_match_of(input, given, wanted, counts);
  out.outputs["continuation"] = given;
  return out;
}

train::EvalOutput LmTask::samples(const TaskInput& input) const {
  const Dims dims = input.array(data::kInputs).dims();
  const std::int64_t rows = dims[0], len = dims[1];
  const Prompts prompts = sample_prompts(input);
  nn::Ctx p = context(input);
  models::DecodeModel decode = model().decode_model(p, rows, len);
  models::SampleOptions options;
  options.max_len = len;
  options.temperature = 0.8;
  options.end_tokens = codec_->end_tokens;
  models::Decoded decoded =
      models::sample(decode, prompts.ids, prompts.lengths, options, input.key);
  train::EvalOutput out;
  out.metrics["length"] = train::mean(graph::cast(decoded.lengths - prompts.lengths, f32));
  out.outputs[kSampled] = decoded.ids;
  out.outputs[kSampledLengths] = decoded.lengths;
  out.outputs[kSampledPrompts] = prompts.lengths;
  return out;
}

std::vector<std::string> LmTask::describe_samples(const Tree<HostTensor>& outputs) const {
  const HostTensor& sampled = outputs.at(kSampled).value();
  const auto lengths = outputs.at(kSampledLengths).value().values<std::int32_t>();
  const auto prompts = outputs.at(kSampledPrompts).value().values<std::int32_t>();
  const auto len = static_cast<std::size_t>(sampled.dims()[1]);
  std::vector<std::string> out;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const auto prompt = static_cast<std::size_t>(prompts[row]);
    auto tokens =
        sampled.values<std::int32_t>().subspan(row * len, static_cast<std::size_t>(lengths[row]));
    const std::string given = codec_->decode(tokens.first(prompt));
    const std::string made = codec_->decode(tokens.subspan(prompt));
    out.push_back(printable_name(str(in_one_line(given), " | ", in_one_line(made))));
  }
  return out;
}

std::optional<std::int64_t> LmTask::max_positions() const {
  const models::DecoderLmConfig& config = model().config();
  if (config.position != models::PositionKind::learned) return std::nullopt;
  return config.max_len;
}

void LmTask::check_positions(const train::GenerateInput& input,
                             const train::GenerateOptions& options) const {
  const std::int64_t len = input.prompts.dim(1);
  MW_CHECK(len + options.max_tokens <= max_positions().value_or(len + options.max_tokens),
           "generate: prompts of ", len, " tokens and ", options.max_tokens,
           " more exceed the model's ", max_positions().value_or(0), " positions");
}

train::Continuations LmTask::generate(const train::GenerateInput& input,
                                      const train::GenerateOptions& options) const {
  check_positions(input, options);
  nn::Ctx p = context(input);
  auto decode_model = [&](std::int64_t num_copies, std::int64_t max_len) {
    return model().decode_model(p, input.prompts.dim(0) * num_copies, max_len);
  };
  return continue_prompts(decode_model, {input.prompts, input.lengths}, input.key, options);
}

train::Unfinished LmTask::begin_generation(const train::GenerateInput& input,
                                           const train::GenerateOptions& options) const {
  check_positions(input, options);
  nn::Ctx p = context(input);
  const Dims dims = input.prompts.dims();
  return begin_sampling(model().decode_model(p, dims[0], dims[1] + options.max_tokens),
                        {input.prompts, input.lengths}, options);
}

train::Unfinished LmTask::continue_generation(const train::GenerateInput& input,
                                              const train::Unfinished& unfinished,
                                              const Value& num_tokens,
                                              const train::GenerateOptions& options) const {
  nn::Ctx p = context(input);
  const Dims dims = unfinished.ids.dims();
  return continue_sampling(model().decode_model(p, dims[0], dims[1]), unfinished, input, num_tokens,
                           options);
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
