// SPDX-License-Identifier: Apache-2.0
// Decoder-only language models, on the batches described in data/core/lm_batch.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/config/type_of.h"
#include "meshwright/data/core/source.h"
#include "meshwright/data/core/text_codec.h"
#include "meshwright/models/decoder_lm.h"
#include "meshwright/tasks/stack_config.h"
#include "meshwright/tasks/token_loss.h"
#include "meshwright/train/foreign/foreign_system.h"

namespace meshwright::tasks {

enum class LmStyle { llama, seqax, gpt2, fuji };
inline config::Choices<LmStyle> config_choices(LmStyle) {
  return {{"llama", LmStyle::llama},
          {"seqax", LmStyle::seqax},
          {"gpt2", LmStyle::gpt2},
          {"fuji", LmStyle::fuji}};
}

/// Config of a model; absent values default to those of the style.
struct LmModelConfig : StackConfig {
  LmStyle style = LmStyle::llama;
  config::OrAuto<std::int64_t> vocab = {};
  std::optional<std::int64_t> layers, embed, kv, q, dim, mlp, max_len, window;
  std::optional<bool> tied_embedding;
  std::optional<double> rope_max_timescale;

  void fields(auto& f) {
    f.optional("style", style,
               "Model family, which decides norms, positions, MLPs, biases and initial values.");
    f.optional("vocab", vocab, config::kPositive,
               "Vocabulary size. `auto`: the number of tokens of the data.");
    f.optional("layers", layers, config::kPositive, "Number of layers.");
    f.optional("embed", embed, config::kPositive, "Width of the residual stream.");
    f.optional("kv", kv, config::kPositive, "Number of key-value heads.");
    f.optional("q", q, config::kPositive, "Number of query heads per key-value head.");
    f.optional("dim", dim, config::kPositive, "Size of a head.");
    f.optional("mlp", mlp, config::kPositive, "Hidden size of the MLPs.");
    f.optional("max_len", max_len, config::kPositive, "Number of learned positions.");
    f.optional("window", window, config::kPositive,
               "Number of tokens that each token attends to, itself included. `none`: all before "
               "it in its document.");
    f.optional("tied_embedding", tied_embedding,
               "Share one table between input and output embedding.");
    f.optional("rope_max_timescale", rope_max_timescale, config::kPositive,
               "Longest wavelength of rotary positions, divided by 2 pi.");
    stack_fields(f);
  }
};
models::DecoderLmConfig model_config(const LmModelConfig& config);

struct LmConfig : TokenLossConfig {
  static constexpr char kType[] = "lm";
  LmModelConfig model;
  std::optional<std::int64_t> pad_token_id;

  void fields(auto& f) {
    f.required("model", model, "Decoder.");
    token_loss_fields(f);
    f.optional("pad_token_id", pad_token_id, config::at_least(-1),
               "Targets with this token, and negative targets, do not count in the loss, as in "
               "AXLearn. -1: only negative ones do not count. `none`: 0 for style fuji; otherwise "
               "all targets count.");
  }
  /// Fills in defaults for values that the config leaves unset.
  void set_defaults(const train::SystemDefaults& defaults);
};

/// Splits rows to evaluate continuations: the first `prompt_len` inputs of every row are the
/// prompt, and the later targets with nonzero weight are the expected tokens.
struct LmContinuation {
  std::int64_t prompt_len = 0;
  /// Formats a row's prompt and generated tokens for the console.
  std::function<std::string(std::span<const std::int32_t> prompt,
                            std::span<const std::int32_t> continuation)>
      shown;
};

/// Evaluation methods:
/// - "loss", the logarithm of the perplexity, which also reports accuracy and, with a codec for
///   text, bits per byte;
/// - with a continuation, "exact_match": the fraction of rows whose greedily decoded tokens are all
///   correct;
/// - with a codec, "samples", which continues the beginning of every row, see sample_prompts(),
///   with tokens drawn at temperature 0.8, for the console, and reports their mean "length".
class LmTask : public train::ModelTask<models::DecoderLm> {
 public:
  /// `len` is the length of the inputs, used for the token rate.
  LmTask(const LmConfig& config,
         std::int64_t len,
         std::optional<LmContinuation> continuation = {},
         std::optional<data::TextCodec> codec = {});

  std::string name() const override { return "lm"; }
  train::TaskLoss loss(const train::TaskInput& input) const override;
  std::map<std::string, train::EvalMethod> eval_methods() const override;
  std::int64_t tokens_per_example() const override { return len_; }
  std::optional<std::int64_t> max_positions() const override;
  train::Continuations generate(const train::GenerateInput& input,
                                const train::GenerateOptions& options) const override;
  bool generates_in_parts(const train::GenerateOptions& options) const override {
    return !options.num_beams;
  }
  train::Unfinished begin_generation(const train::GenerateInput& input,
                                     const train::GenerateOptions& options) const override;
  train::Unfinished continue_generation(const train::GenerateInput& input,
                                        const train::Unfinished& unfinished,
                                        const graph::Value& num_tokens,
                                        const train::GenerateOptions& options) const override;
  DType compute_dtype() const override { return config_.dtype(); }
  std::optional<std::int64_t> num_tokens() const override { return config_.model.vocab; }
  std::vector<data::IntegerRange> integer_ranges() const override;

 private:
  void check_positions(const train::GenerateInput& input,
                       const train::GenerateOptions& options) const;
  graph::Value weights(const train::TaskInput& input) const;
  train::EvalOutput exact_match(const train::TaskInput& input) const;
  train::EvalOutput samples(const train::TaskInput& input) const;
  std::vector<std::string> describe_samples(const Tree<HostTensor>& outputs) const;
  std::vector<std::string> describe(const Tree<HostTensor>& batch,
                                    const Tree<HostTensor>& outputs) const;

  LmConfig config_;
  std::int64_t len_;
  std::optional<LmContinuation> continuation_;
  std::optional<data::TextCodec> codec_;
};

}  // namespace meshwright::tasks

namespace meshwright::config {
extern template const Type& type_of<tasks::LmConfig>();
}
