// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/config/source_config.h"

#include "meshwright/data/generated/arithmetic.h"
#include "meshwright/data/generated/arithmetic_codec.h"
#include "meshwright/data/generated/shapes.h"
#include "meshwright/data/generated/synthetic.h"

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

SourcePtr make_source(const SourceConfig& config, std::int64_t seed) {
  return std::visit([&](const auto& source) { return source.make(seed); },
                    static_cast<const SourceChoice&>(config));
}

std::optional<std::int64_t> num_tokens(const SourceConfig& config) {
  return std::visit(
      [](const auto& source) -> std::optional<std::int64_t> {
        if constexpr (requires { source.num_tokens(); }) return source.num_tokens();
        return std::nullopt;
      },
      static_cast<const SourceChoice&>(config));
}

std::optional<std::int64_t> num_classes(const SourceConfig& config) {
  return std::visit(
      [](const auto& source) -> std::optional<std::int64_t> {
        if constexpr (requires { source.num_classes(); }) return source.num_classes();
        return std::nullopt;
      },
      static_cast<const SourceChoice&>(config));
}

std::string contents(const SourceConfig& config) {
  return std::visit(
      [](const auto& source) -> std::string {
        if constexpr (requires { source.contents(); }) return source.contents();
        return "";
      },
      static_cast<const SourceChoice&>(config));
}

TextCodec text_codec(const SourceConfig& config) {
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
