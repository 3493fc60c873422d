// SPDX-License-Identifier: Apache-2.0
// Encoder-decoder tasks that map sequences to sequences, on the batches described in
// data/core/seq2seq_batch.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/type_of.h"
#include "meshwright/data/core/text_codec.h"
#include "meshwright/models/encoder_decoder.h"
#include "meshwright/tasks/stack_config.h"
#include "meshwright/tasks/token_loss.h"

namespace meshwright::tasks {

enum class Seq2SeqStyle { t5, t5_1_1 };
inline config::Choices<Seq2SeqStyle> config_choices(Seq2SeqStyle) {
  return {{"t5", Seq2SeqStyle::t5}, {"t5_1_1", Seq2SeqStyle::t5_1_1}};
}

/// Config of a model; absent values default to those of the style's small model.
struct EncoderDecoderModelConfig : StackConfig {
  Seq2SeqStyle style = Seq2SeqStyle::t5;
  config::OrAuto<std::int64_t> vocab = {};
  std::optional<std::int64_t> embed, heads, dim, mlp, encoder_layers, decoder_layers;
  std::optional<int> num_buckets, max_distance;
  std::optional<bool> gated_mlp, tied_embedding;

  void fields(auto& f) {
    f.optional("style", style, "Model family, which decides MLPs and output.");
    f.optional("vocab", vocab, config::kPositive,
               "Vocabulary size. `auto`: the number of tokens of the data.");
    f.optional("embed", embed, config::kPositive, "Width of the residual stream.");
    f.optional("heads", heads, config::kPositive, "Number of attention heads.");
    f.optional("dim", dim, config::kPositive, "Size of a head.");
    f.optional("mlp", mlp, config::kPositive, "Hidden size of the MLPs.");
    f.optional("encoder_layers", encoder_layers, config::kPositive, "Number of encoder layers.");
    f.optional("decoder_layers", decoder_layers, config::kPositive, "Number of decoder layers.");
    f.optional("num_buckets", num_buckets, config::kPositive,
               "Number of buckets for relative positions.");
    f.optional("max_distance", max_distance, config::kPositive,
               "Distance at and beyond which all positions share a bucket.");
    f.optional("gated_mlp", gated_mlp, "Use gated MLPs.");
    f.optional("tied_embedding", tied_embedding,
               "Share one table between input and output embedding.");
    stack_fields(f);
  }
};
models::EncoderDecoderConfig model_config(const EncoderDecoderModelConfig& config);

/// Settings for decoding in exact_match.
struct DecodeConfig {
  std::optional<std::int64_t> num_beams;

  void fields(auto& f) {
    f.optional("num_beams", num_beams, config::kPositive, "Beam width. `none`: greedy decoding.");
  }
};

struct Seq2SeqConfig : TokenLossConfig {
  static constexpr char kType[] = "seq2seq";
  EncoderDecoderModelConfig model;
  DecodeConfig decode;

  void fields(auto& f) {
    f.required("model", model, "Encoder and decoder.");
    token_loss_fields(f);
    f.optional("decode", decode, "How evaluators decode sequences.");
  }
};

/// Evaluation methods: "loss", which also reports accuracy, and "exact_match": the fraction of rows
/// whose output equals the target up to the end token.
class Seq2SeqTask : public train::ModelTask<models::EncoderDecoder> {
 public:
  /// `target_len` is used for the token rate and `codec` for console output.
  Seq2SeqTask(const Seq2SeqConfig& config, std::int64_t target_len, data::TextCodec codec);

  std::string name() const override { return "seq2seq"; }
  train::TaskLoss loss(const train::TaskInput& input) const override;
  std::map<std::string, train::EvalMethod> eval_methods() const override;
  std::int64_t tokens_per_example() const override { return target_len_; }
  /// The prompts are the encoder's input.
  train::Continuations generate(const train::GenerateInput& input,
                                const train::GenerateOptions& options) const override;
  DType compute_dtype() const override { return config_.dtype(); }
  std::optional<std::int64_t> num_tokens() const override { return config_.model.vocab; }
  std::vector<data::IntegerRange> integer_ranges() const override;

 private:
  train::Continuations decoded(nn::Ctx& p,
                               graph::Value ids,
                               graph::Value is_valid,
                               const graph::random::Key& key,
                               const train::GenerateOptions& options) const;
  train::EvalOutput exact_match(const train::TaskInput& input) const;
  std::vector<std::string> describe(const Tree<HostTensor>& batch,
                                    const Tree<HostTensor>& outputs) const;

  Seq2SeqConfig config_;
  std::int64_t target_len_;
  data::TextCodec codec_;
};

}  // namespace meshwright::tasks

namespace meshwright::config {
extern template const Type& type_of<tasks::Seq2SeqConfig>();
}
