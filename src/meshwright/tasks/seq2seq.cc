// SPDX-License-Identifier: Apache-2.0
// Axes: batch, src (encoder), len (decoder).
#include "meshwright/tasks/seq2seq.h"

#include <algorithm>
#include <utility>

#include "meshwright/data/core/seq2seq_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/tasks/continuations.h"

namespace meshwright::tasks {
namespace {

using graph::Value;
using train::TaskInput;
using Tokens = std::span<const std::int32_t>;

constexpr const char* kDecoded = "decoded";

// Returns the tokens before the first `end`.
Tokens before(Tokens tokens, std::int32_t end) {
  return tokens.first(static_cast<std::size_t>(std::ranges::find(tokens, end) - tokens.begin()));
}

Tokens row_of(const HostTensor& tokens, std::size_t row) {
  const auto len = static_cast<std::size_t>(tokens.dims()[1]);
  return tokens.values<std::int32_t>().subspan(row * len, len);
}

}  // namespace

models::EncoderDecoderConfig model_config(const EncoderDecoderModelConfig& config) {
  using Model = models::EncoderDecoderConfig;
  Model out = config.style == Seq2SeqStyle::t5 ? Model::t5_small() : Model::t5_1_1_small();
  MW_CHECK(config.vocab, "task.model.vocab: the data does not say how many tokens it has");
  out.vocab = *config.vocab;
  set_if(out.embed, config.embed);
  set_if(out.heads, config.heads);
  set_if(out.dim, config.dim);
  set_if(out.mlp, config.mlp);
  set_if(out.encoder_layers, config.encoder_layers);
  set_if(out.decoder_layers, config.decoder_layers);
  set_if(out.num_buckets, config.num_buckets);
  set_if(out.max_distance, config.max_distance);
  set_if(out.gated_mlp, config.gated_mlp);
  set_if(out.tied_embedding, config.tied_embedding);
  config.set(out);
  return out;
}

Seq2SeqTask::Seq2SeqTask(const Seq2SeqConfig& config,
                         std::int64_t target_len,
                         data::TextCodec codec)
    : ModelTask(model_config(config.model)),
      config_(config),
      target_len_(target_len),
      codec_(std::move(codec)) {}

std::vector<data::IntegerRange> Seq2SeqTask::integer_ranges() const {
  const std::int64_t size = config_.model.vocab.value();
  return {{std::string(data::kEncoderInputs), size},
          {std::string(data::kDecoderInputs), size},
          {std::string(data::kTargets), size, std::string(data::kWeights)}};
}

train::TaskLoss Seq2SeqTask::loss(const TaskInput& input) const {
  nn::Ctx p = context(input);
  Value ids = input.array(data::kEncoderInputs);
  Value is_valid = graph::not_equal(ids, data::kPadToken);
  Value memory = model().encoded(p, ids, is_valid);
  kernels::Projection output =
      model().projection(p, input.array(data::kDecoderInputs), memory, is_valid);
  return token_loss(output, input.array(data::kTargets), input.array(data::kWeights), config_,
                    p.outputs());
}

std::map<std::string, train::EvalMethod> Seq2SeqTask::eval_methods() const {
  train::EvalMethod match{
      .run = [this](const TaskInput& input) { return exact_match(input); },
      .describe = [this](const Tree<HostTensor>& batch,
                         const Tree<HostTensor>& outputs) { return describe(batch, outputs); }};
  return {{"loss", train::loss_method(*this)}, {"exact_match", std::move(match)}};
}

train::Continuations Seq2SeqTask::decoded(nn::Ctx& p,
                                          Value ids,
                                          Value is_valid,
                                          const graph::random::Key& key,
                                          const train::GenerateOptions& options) const {
  const std::int64_t rows = ids.dim(0);
  Value memory = model().encoded(p, ids, is_valid);
  auto decode_model = [&](std::int64_t num_copies, std::int64_t max_len) {
    return model().decode_model(p, repeat_rows(memory, num_copies),
                                repeat_rows(is_valid, num_copies), max_len);
  };
  // The first input of the decoder.
  Value start = graph::constant(data::kPadToken, s32, {rows, 1});
  return continue_prompts(decode_model, {start, graph::constant(1, s32, {rows})}, key, options);
}

train::Continuations Seq2SeqTask::generate(const train::GenerateInput& input,
                                           const train::GenerateOptions& options) const {
  nn::Ctx p = context(input);
  Value is_valid =
      graph::iota(s32, input.prompts.dims(), 1) < graph::expand_dims(input.lengths, {1});
  return decoded(p, input.prompts, is_valid, input.key, options);
}

train::EvalOutput Seq2SeqTask::exact_match(const TaskInput& input) const {
  nn::Ctx p = context(input);
  Value ids = input.array(data::kEncoderInputs);
  Value targets = input.array(data::kTargets);
  const std::int64_t len = targets.dim(1);
  train::Continuations made = decoded(
      p, ids, graph::not_equal(ids, data::kPadToken), input.key,
      {.max_tokens = len, .end_tokens = {data::kEndToken}, .num_beams = config_.decode.num_beams});
  // The first position is the decoder's start token.
  Value best = graph::reshape(graph::take_slice(made.ids, 1, 0, 1), {targets.dim(0), len + 1});
  Value given = graph::take_slice(best, 1, 1);
  train::EvalOutput out = exact_match_of(input, given, targets, input.array(data::kWeights) > 0.0);
  out.outputs[kDecoded] = given;
  return out;
}

std::vector<std::string> Seq2SeqTask::describe(const Tree<HostTensor>& batch,
                                               const Tree<HostTensor>& outputs) const {
  const HostTensor& sources = batch.at(data::kEncoderInputs).value();
  const HostTensor& targets = batch.at(data::kTargets).value();
  const HostTensor& decoded = outputs.at(kDecoded).value();
  std::vector<std::string> out;
  for (std::size_t row = 0; row < static_cast<std::size_t>(sources.dims()[0]); ++row) {
    const std::string source = codec_.decode(before(row_of(sources, row), data::kPadToken));
    const std::string wanted = codec_.decode(before(row_of(targets, row), data::kEndToken));
    const std::string made = codec_.decode(before(row_of(decoded, row), data::kEndToken));
    out.push_back(str(source, " -> ", made, made == wanted ? "" : str(" (", wanted, ")")));
  }
  return out;
}

}  // namespace meshwright::tasks
