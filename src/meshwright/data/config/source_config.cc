// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/config/source_config.h"

#include "meshwright/base/check.h"
#include "meshwright/data/config/mixture.h"
#include "meshwright/data/generated/arithmetic.h"
#include "meshwright/data/generated/arithmetic_codec.h"
#include "meshwright/data/generated/shapes.h"
#include "meshwright/data/generated/synthetic.h"
#include "meshwright/data/text/token_corpus.h"

namespace meshwright::data {

SourcePtr ArithmeticConfig::make(std::int64_t seed) const {
  return std::make_shared<ArithmeticSource>(ArithmeticOptions{
      .batch_size = batch_size, .seed = seed, .num_digits = static_cast<int>(num_digits)});
}

TextCodec ArithmeticConfig::codec() const {
  return arithmetic_codec(static_cast<int>(num_digits));
}

SourcePtr HeldOutArithmeticConfig::make(std::int64_t /*seed*/) const {
  return held_out_arithmetic(batch_size, static_cast<int>(num_digits));
}

SourcePtr RandomTokensConfig::make(std::int64_t seed) const {
  return std::make_shared<RandomTokens>(RandomTokensOptions{
      .batch_size = batch_size, .length = length, .vocab_size = vocab_size, .seed = seed});
}

std::string WordsConfig::contents() const {
  switch (words.task) {
    case SequenceTask::copy:
      return "words to copy";
    case SequenceTask::reverse:
      return "words to reverse";
    case SequenceTask::sort:
      return "words to sort";
  }
  return "";
}

SourcePtr SequencesConfig::make(std::int64_t seed) const {
  return std::make_shared<SequenceSource>(words, batch_size, seed);
}

SourcePtr HeldOutSequencesConfig::make(std::int64_t /*seed*/) const {
  return held_out_sequences(words, batch_size, num_words);
}

SourcePtr ShapesConfig::make(std::int64_t seed) const {
  return std::make_shared<ShapesSource>(
      ShapesOptions{.batch_size = batch_size, .size = size, .noise = noise, .seed = seed});
}

SourcePtr HeldOutShapesConfig::make(std::int64_t /*seed*/) const {
  return std::make_shared<ShapesSource>(ShapesOptions{
      .batch_size = batch_size, .size = size, .noise = noise, .num_held_out_batches = num_batches});
}

namespace {

SourcePtr make(const auto& config, const RunData& run) {
  return config.make(run.seed);
}
SourcePtr make(const TextConfig& /*config*/, const RunData& run) {
  MW_CHECK(run.text != nullptr, "data.type text is for training data only");
  return run.text->training();
}
SourcePtr make(const TokensConfig& config, const RunData& run) {
  MW_CHECK(run.text != nullptr, "data.type tokens is for training data only");
  if (config.seqax) return seqax_training(config, *run.text, run.seed, run.use);
  return run.text->training();
}
SourcePtr make(const HeldOutTextConfig& config, const RunData& run) {
  MW_CHECK(run.text != nullptr,
           "data.type held_out_text needs training data of type text or tokens");
  if (!run.parts.empty()) return held_out_parts(config, run);
  MW_CHECK(!config.part, "held_out_text.part: the training data is no mixture");
  return run.text->evaluation(config);
}
SourcePtr make(const MixtureConfig& config, const RunData& run) {
  return make_mixture(config, run);
}

bool is_text(const SourceConfig& config) {
  return std::holds_alternative<TextConfig>(config) ||
         std::holds_alternative<TokensConfig>(config) ||
         std::holds_alternative<HeldOutTextConfig>(config);
}

}  // namespace

RunData open_run_data(const SourceConfig& training,
                      std::int64_t seed,
                      const std::string& run_folder,
                      DataUse use) {
  RunData out{.seed = seed, .use = use};
  if (const auto* text = std::get_if<TextConfig>(&training))
    out.text = std::make_shared<const TextCorpus>(*text, seed, run_folder, use);
  if (const auto* mixture = std::get_if<MixtureConfig>(&training))
    open_parts(*mixture, run_folder, use, out);
  if (const auto* tokens = std::get_if<TokensConfig>(&training))
    out.text = open_token_corpus(*tokens, seed, run_folder, use);
  return out;
}

bool is_for_training_only(const SourceConfig& config) {
  return std::holds_alternative<TextConfig>(config) ||
         std::holds_alternative<TokensConfig>(config) ||
         std::holds_alternative<MixtureConfig>(config);
}

SourcePtr make_source(const SourceConfig& config, const RunData& run) {
  return std::visit([&](const auto& source) { return make(source, run); },
                    static_cast<const SourceChoice&>(config));
}

SkippedBatches skipped_batches(const SourceConfig& config) {
  return std::visit(
      [](const auto& source) {
        if constexpr (requires { source.skip_steps; }) return skipped_batches(source.skip_steps);
        return SkippedBatches();
      },
      static_cast<const SourceChoice&>(config));
}

std::optional<std::int64_t> num_tokens(const SourceConfig& config, const RunData& run) {
  if (const auto* mixture = std::get_if<MixtureConfig>(&config)) return num_tokens(*mixture, run);
  if (run.text && is_text(config)) {
    const std::int64_t size = run.text->tokenizer().vocab_size();
    return size > 0 ? std::optional(size) : std::nullopt;
  }
  return std::visit(
      [](const auto& source) -> std::optional<std::int64_t> {
        if constexpr (requires { source.num_tokens(); }) return source.num_tokens();
        return std::nullopt;
      },
      static_cast<const SourceChoice&>(config));
}

std::optional<std::int64_t> num_classes(const SourceConfig& config) {
  if (const auto* mixture = std::get_if<MixtureConfig>(&config)) return num_classes(*mixture);
  return std::visit(
      [](const auto& source) -> std::optional<std::int64_t> {
        if constexpr (requires { source.num_classes(); }) return source.num_classes();
        return std::nullopt;
      },
      static_cast<const SourceChoice&>(config));
}

std::string contents(const SourceConfig& config) {
  if (const auto* mixture = std::get_if<MixtureConfig>(&config)) return contents(*mixture);
  return std::visit(
      [](const auto& source) -> std::string {
        if constexpr (requires { source.contents(); }) return source.contents();
        return "";
      },
      static_cast<const SourceChoice&>(config));
}

TextCodec text_codec(const SourceConfig& config, const RunData& run) {
  const bool is_mixture = std::holds_alternative<MixtureConfig>(config);
  if (run.text && (is_mixture || is_text(config))) return run.text->codec();
  return std::visit(
      [](const auto& source) {
        if constexpr (requires { source.codec(); }) {
          return source.codec();
        } else {
          return token_numbers();
        }
      },
      static_cast<const SourceChoice&>(config));
}

}  // namespace meshwright::data
